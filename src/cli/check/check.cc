#include "cli/check/check.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/spelling.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/check/check_answer.h"
#include "cli/check/check_client.h"
#include "cli/check/credentials.h"
#include "cli/check/probe.h"
#include "cli/check/request_flags.h"
#include "cli/flags.h"
#include "cli/usage.h"
#include "net/loop/connect.h"
#include "sluice/clock.h"

namespace sluice::cli {
namespace {

// The help texts that differ between the commands.
struct CallWords {
  CheckCall call;
  std::string_view summary;
  std::string_view meaning;
  std::string_view cost;
  std::string_view protocols;
  std::string_view exit_codes;
};

constexpr std::string_view kVerdictCodes =
    "0 if the request is allowed, 1 if it is refused, 2 if the command is wrong, 3 if there is\n"
    "no answer, or the server has no rules for the domain";
constexpr std::string_view kDoneCodes =
    "0 if it is done, 1 if no limit applies to the attributes, 2 if the command is wrong, 3 if\n"
    "there is no answer, or the server does not permit it";
constexpr std::string_view kPermission =
    "\nA server wants a permission for it: the token of its setting 'callers' (--token-file), or a "
    "Unix\nsocket.";

constexpr std::array kCalls = {
    CallWords{CheckCall::kCheck, "whether a running server lets a request pass",
              "Asks a server as one of its callers would: what the request costs is taken. Prints "
              "the verdict, and\nwhat each limit has left as far as the protocol tells it.",
              "what the request costs, 1 unless said",
              "http (default: POST /v1/check), rls (Envoy's rate limit service) or\n"
              "                     resp (SLUICE.CHECK)",
              kVerdictCodes},
    CallWords{CheckCall::kPeek, "whether a running server would let a request pass",
              "Asks a server about a request and takes nothing. Prints the verdict, and what each "
              "limit has left as\nfar as the protocol tells it.",
              "what the request would cost, 1 unless said",
              "http (default: POST /v1/peek) or resp (SLUICE.CHECK ... PEEK)", kVerdictCodes},
    CallWords{CheckCall::kRefund, "give back what a request cost",
              "Gives back units that a request with these attributes took, at most what is still "
              "held. Prints what\neach limit has left.",
              "how many units, 1 unless said", "http (default: POST /v1/refund)", kDoneCodes},
    CallWords{
        CheckCall::kReset, "forget what the keys of a request have used",
        "Makes the keys of a request with these attributes as if never used. Prints what each "
        "limit has\nleft.",
        "of no effect", "http (default: POST /v1/reset)", kDoneCodes},
};

const CallWords& WordsOf(CheckCall call) { return kCalls[static_cast<std::size_t>(call)]; }

std::string MakeHelp(CheckCall call) {
  const CallWords& words = WordsOf(call);
  const std::string_view name = NameOf(call);
  const bool lifts = LiftsLimits(call);
  const std::string_view over_rls =
      "Over rls the attributes are the entries of one descriptor, in "
      "their order.\n\n";
  return Concat(
      "sluice ", name, ": ", words.summary, "\n\nusage: sluice ", name,
      " --server ADDRESS --domain DOMAIN [FLAGS] ATTRIBUTE=VALUE...\n\n", words.meaning,
      lifts ? kPermission : "",
      "\n\nflags:\n"
      "  --server ADDRESS   where the server is: host:port or unix:PATH\n"
      "  --domain DOMAIN    whose rules\n"
      "  --cost UNITS       ",
      words.cost, "\n  --protocol NAME    how to ask: ", words.protocols, "\n  --header TEXT      ",
      call == CheckCall::kCheck ? "http and rls" : "http",
      ": 'NAME: VALUE', sent with the request; may be given again\n"
      "  --token-file FILE  holds a token, shown as a bearer token",
      lifts ? "" : "; resp: by AUTH",
      "\n"
      "  --timeout LENGTH   how long to wait for an answer, 5s unless said\n"
      "  -o text|json       for people (text, the default) or for programs: one line of JSON\n"
      "  --help             this text\n\n"
      "It speaks plain text, not TLS: a server with a certificate is asked over its Unix "
      "socket.\n\n",
      call == CheckCall::kCheck ? over_rls : "", "exit code: ", words.exit_codes,
      "\n\nexample:\n  $ sluice ", name, " --server ",
      lifts ? "unix:/run/sluice.sock" : "127.0.0.1:8080",
      " --domain api user=42 method=POST path=/v1/posts\n");
}

template <CheckCall kCall>
std::string_view HelpOf() {
  static const std::string text = MakeHelp(kCall);
  return text;
}

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
  std::unique_ptr<CheckClient> (*ask)(const CheckQuestion& question, const Credentials& shown);
};

constexpr std::array kProtocols = {Protocol{"http", AskByHttp}, Protocol{"rls", AskByRls},
                                   Protocol{"resp", AskByResp}};

// The parsed command line, which it views.
struct Arguments {
  CheckCall call = CheckCall::kCheck;
  Endpoint server;
  std::string_view domain;
  std::vector<Attribute> attributes;
  Cost cost;
  const Protocol* protocol = nullptr;
  Credentials credentials;
  Nanos timeout{0};
  OutputForm form = OutputForm::kText;
};

// Returns whether the protocol supports the call.
bool Carries(std::string_view protocol, CheckCall call) {
  if (protocol == "http" || call == CheckCall::kCheck) return true;
  return protocol == "resp" && call == CheckCall::kPeek;
}

Result<const Protocol*> ReadProtocol(const GivenFlags& given, CheckCall call) {
  const std::string_view name = given.ValueOr("--protocol", "http");
  const auto* const found = std::ranges::find(kProtocols, name, &Protocol::name);
  std::vector<std::string_view> names;
  for (const Protocol& each : kProtocols) {
    if (Carries(each.name, call)) names.push_back(each.name);
  }
  if (found != kProtocols.end() && Carries(name, call)) return found;
  if (found != kProtocols.end()) {
    return Error{Concat("--protocol: ", name, " has no ", NameOf(call), "; expected ",
                        JoinWords(names, "or"))};
  }
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

// Returns what the protocol cannot express, or an empty text.
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

Result<Arguments> ReadArguments(const GivenFlags& given, CheckCall call) {
  Arguments arguments;
  arguments.call = call;
  Result<Endpoint> server = ReadServer(given);
  if (!server) return server.error();
  arguments.server = std::move(server).value();
  arguments.domain = given.ValueOr("--domain", "");
  if (arguments.domain.empty()) return Error{"expected --domain DOMAIN, for example --domain api"};
  if (!IsUtf8(arguments.domain)) return Error{"--domain: expected UTF-8"};
  const Result<Cost> cost = ReadCost(given);
  if (!cost) return cost.error();
  arguments.cost = cost.value();
  const Result<const Protocol*> protocol = ReadProtocol(given, call);
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

int Fail(const Arguments& arguments, std::string_view message, Console& console) {
  console.err.Write(Concat("sluice ", NameOf(arguments.call), ": ", message, "\n"));
  return kExitNoAnswer;
}

// Returns whether the answer is a success. A refund or reset to which no limit applied had no
// effect.
bool IsYes(const Arguments& arguments, const CheckAnswer& answer) {
  return LiftsLimits(arguments.call) ? HasLimit(answer) : answer.allowed;
}

int RunOn(const Arguments& arguments, Console& console) {
  const std::string server = Describe(arguments.server);
  const CheckQuestion question{.server = server,
                               .protocol = arguments.protocol->name,
                               .domain = arguments.domain,
                               .attributes = arguments.attributes,
                               .cost = arguments.cost,
                               .call = arguments.call};
  const Result<ServerAddress> address = FindServer(arguments.server);
  const std::unique_ptr<CheckClient> conversation =
      arguments.protocol->ask(question, arguments.credentials);
  const Result<CheckAnswer> answer =
      address ? Converse(address.value(), *conversation, *MakeSystemClock(), arguments.timeout)
              : address.error();
  const auto probe = [&] {
    return Probe(arguments.server, arguments.domain, arguments.credentials, arguments.timeout);
  };
  const bool is_http = arguments.protocol->name == "http";
  if (!answer) {
    const bool has_spoken = conversation->answer().has_value();
    const std::string_view advice = has_spoken && !is_http ? AdviceFor(probe()) : "";
    return Fail(arguments, Concat(answer.error().message, advice), console);
  }
  const bool as_json = arguments.form == OutputForm::kJson;
  console.out.Write(as_json ? CheckJson(question, answer.value())
                            : CheckText(question, answer.value(), console.out.ink()));
  const bool just_passed = answer.value().allowed && !HasLimit(answer.value());
  if (!is_http && just_passed && probe() == ProbeFinding::kNoRules) {
    return Fail(arguments, NoRulesMessage(server, arguments.domain), console);
  }
  return IsYes(arguments, answer.value()) ? kExitOk : kExitNo;
}

int RunCall(CheckCall call, std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (given && given.value().Has("--help")) {
    console.out.Write(MakeHelp(call));
    return kExitOk;
  }
  const Result<Arguments> arguments = given ? ReadArguments(given.value(), call) : given.error();
  if (!arguments) {
    return FailUsage(NameOf(call),
                     Concat(arguments.error().message, "\nRun 'sluice ", NameOf(call),
                            " --help' to learn more."),
                     console);
  }
  return RunOn(arguments.value(), console);
}

}  // namespace

std::string_view CheckHelp() { return HelpOf<CheckCall::kCheck>(); }
std::string_view PeekHelp() { return HelpOf<CheckCall::kPeek>(); }
std::string_view RefundHelp() { return HelpOf<CheckCall::kRefund>(); }
std::string_view ResetHelp() { return HelpOf<CheckCall::kReset>(); }

int RunCheck(std::span<const std::string_view> args, Console& console) {
  return RunCall(CheckCall::kCheck, args, console);
}
int RunPeek(std::span<const std::string_view> args, Console& console) {
  return RunCall(CheckCall::kPeek, args, console);
}
int RunRefund(std::span<const std::string_view> args, Console& console) {
  return RunCall(CheckCall::kRefund, args, console);
}
int RunReset(std::span<const std::string_view> args, Console& console) {
  return RunCall(CheckCall::kReset, args, console);
}

}  // namespace sluice::cli
