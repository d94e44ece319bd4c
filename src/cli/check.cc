#include "cli/check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/check_answer.h"
#include "cli/conversation.h"
#include "cli/credentials.h"
#include "cli/flags.h"
#include "cli/request_flags.h"
#include "cli/usage.h"
#include "core/limit_words.h"
#include "core/text.h"
#include "core/utf8.h"
#include "net/connect.h"
#include "sluice/clock.h"
#include "wire/ascii.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    R"(sluice check: whether a running server lets a request pass

usage: sluice check --server ADDRESS --domain DOMAIN [FLAGS] ATTRIBUTE=VALUE...

Asks a server as one of its callers would: what the request costs is taken. Prints the verdict, and
what each limit has left as far as the protocol tells it.

flags:
  --server ADDRESS   where the server is: host:port or unix:PATH
  --domain DOMAIN    whose rules
  --cost UNITS       what the request costs, 1 unless said
  --protocol NAME    how to ask: http (default: POST /v1/check), rls (Envoy's rate limit service) or
                     resp (SLUICE.CHECK)
  --header TEXT      http and rls: 'NAME: VALUE', sent with the request; may be given again
  --token-file FILE  holds a token, shown as a bearer token; resp: by AUTH
  --timeout LENGTH   how long to wait for an answer, 5s unless said
  -o text|json       for people (text, the default) or for programs: one line of JSON
  --help             this text

Over rls the attributes are the entries of one descriptor, in their order.

exit code: 0 if the request is allowed, 1 if it is refused, 2 if the command is wrong, 3 if there is
no answer

example:
  $ sluice check --server 127.0.0.1:8080 --domain api user=42 method=POST path=/v1/posts
)";

constexpr std::array kFlags = {
    Flag{"--server", FlagValues::kOne, "ADDRESS", "127.0.0.1:8080"},
    Flag{"--domain", FlagValues::kOne, "DOMAIN", "api"},
    Flag{"--cost", FlagValues::kOne, "UNITS", "2"},
    Flag{"--protocol", FlagValues::kOne, "NAME", "rls"},
    kHeaderFlag,
    kTokenFlag,
    Flag{"--timeout", FlagValues::kOne, "LENGTH", "500ms"},
    kFormFlag,
    Flag{"--help", FlagValues::kNone},
};

struct Protocol {
  std::string_view name;
  std::unique_ptr<Conversation> (*ask)(const CheckQuestion& question, const Credentials& shown);
};

constexpr std::array kProtocols = {Protocol{"http", AskByHttp}, Protocol{"rls", AskByRls},
                                   Protocol{"resp", AskByResp}};

// What the command line asks for; views it.
struct Arguments {
  Endpoint server;
  std::string_view domain;
  std::vector<Attribute> attributes;
  Cost cost;
  const Protocol* protocol = nullptr;
  Credentials credentials;
  Nanos timeout{0};
  OutputForm form = OutputForm::kText;
};

Result<const Protocol*> ReadProtocol(const GivenFlags& given) {
  const std::string_view name = given.ValueOr("--protocol", "http");
  const auto* const found = std::ranges::find(kProtocols, name, &Protocol::name);
  if (found != kProtocols.end()) return found;
  std::array<std::string_view, kProtocols.size()> names;
  std::ranges::transform(kProtocols, names.begin(), &Protocol::name);
  return Error{Concat("--protocol: unknown protocol ", Quoted(name), Suggestion(name, names))};
}

Result<std::vector<Attribute>> ReadAttributes(const GivenFlags& given) {
  std::vector<Attribute> attributes;
  for (const std::string_view text : given.operands()) {
    const Result<Attribute> attribute = ReadAttribute(text);
    if (!attribute) return attribute.error();
    if (!IsUtf8(text)) return Error{Concat("expected UTF-8, found ", Quoted(text))};
    attributes.push_back(attribute.value());
  }
  return attributes;
}

// What the protocol cannot say, or nothing.
std::string_view Unsayable(const Arguments& arguments) {
  const bool by_resp = arguments.protocol->name == "resp";
  if (by_resp && !arguments.attributes.empty()) {
    const std::string_view first = arguments.attributes.front().name;
    if (EqualsLower(first, "cost") || EqualsLower(first, "peek")) {
      return "over resp the first attribute cannot be called cost or peek; put another before it";
    }
  }
  if (arguments.protocol->name == "rls" && arguments.attributes.empty()) {
    return "over rls there must be at least one attribute";
  }
  return {};
}

Result<Arguments> ReadArguments(const GivenFlags& given) {
  Arguments arguments;
  Result<Endpoint> server = ReadServer(given);
  if (!server) return server.error();
  arguments.server = std::move(server).value();
  arguments.domain = given.ValueOr("--domain", "");
  if (arguments.domain.empty()) return Error{"expected --domain DOMAIN, for example --domain api"};
  if (!IsUtf8(arguments.domain)) return Error{"--domain: expected UTF-8"};
  const Result<Cost> cost = ReadCost(given);
  if (!cost) return cost.error();
  arguments.cost = cost.value();
  const Result<const Protocol*> protocol = ReadProtocol(given);
  if (!protocol) return protocol.error();
  arguments.protocol = protocol.value();
  if (given.Has(kHeaderFlag.name) && arguments.protocol->name == "resp") {
    return Error{"--header is not for resp"};
  }
  Result<Credentials> credentials = ReadCredentials(given);
  if (!credentials) return credentials.error();
  arguments.credentials = std::move(credentials).value();
  const Result<Nanos> timeout = ReadTimeout(given);
  if (!timeout) return timeout.error();
  arguments.timeout = timeout.value();
  const Result<OutputForm> form = ReadForm(given);
  if (!form) return form.error();
  arguments.form = form.value();
  Result<std::vector<Attribute>> attributes = ReadAttributes(given);
  if (!attributes) return attributes.error();
  arguments.attributes = std::move(attributes).value();
  const std::string_view unsayable = Unsayable(arguments);
  if (!unsayable.empty()) return Error{std::string(unsayable)};
  return arguments;
}

int RunOn(const Arguments& arguments, Console& console) {
  const std::string server = Describe(arguments.server);
  const CheckQuestion question{.server = server,
                               .protocol = arguments.protocol->name,
                               .domain = arguments.domain,
                               .attributes = arguments.attributes,
                               .cost = arguments.cost};
  const Result<ServerAddress> address = FindServer(arguments.server);
  const std::unique_ptr<Conversation> conversation =
      arguments.protocol->ask(question, arguments.credentials);
  const Result<CheckAnswer> answer =
      address ? Converse(address.value(), *conversation, *MakeSystemClock(), arguments.timeout)
              : address.error();
  if (!answer) {
    console.err.Write(Concat("sluice check: ", answer.error().message, "\n"));
    return kExitNoAnswer;
  }
  const bool as_json = arguments.form == OutputForm::kJson;
  console.out.Write(as_json ? CheckJson(question, answer.value())
                            : CheckText(question, answer.value(), console.out.ink()));
  return answer.value().allowed ? kExitOk : kExitNo;
}

}  // namespace

std::string_view CheckHelp() { return kHelp; }

int RunCheck(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (given && given.value().Has("--help")) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  const Result<Arguments> arguments = given ? ReadArguments(given.value()) : given.error();
  if (!arguments) {
    return FailUsage(
        "check", Concat(arguments.error().message, "\nRun 'sluice check --help' to learn more."),
        console);
  }
  return RunOn(arguments.value(), console);
}

}  // namespace sluice::cli
