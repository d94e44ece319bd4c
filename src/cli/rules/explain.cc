#include "cli/rules/explain.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/letter_case.h"
#include "base/spelling.h"
#include "base/text.h"
#include "cli/check/request_flags.h"
#include "cli/flags.h"
#include "cli/rules/explain_report.h"
#include "cli/rules/explained_request.h"
#include "cli/usage.h"
#include "config/rules/read_rules.h"
#include "config/rules/rule_files.h"
#include "limiter/system_zones.h"
#include "rules/model/attribute_value.h"
#include "sluice/clock.h"
#include "wire/target.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    R"(sluice explain: which rules apply to a request, and why

usage: sluice explain --rules PATH [FLAGS] ATTRIBUTE=VALUE...

Tells for every rule of a domain whether it applies to a request with these attributes and why,
what is charged under which key, and which headers the answer would have. The request is decided as
the first one ever: nothing has been used yet.

flags:
  --rules PATH     a rule file, or a directory: all of its *.yaml, *.yml and *.json
  --domain DOMAIN  whose rules; may be left out if there is one domain
  --cost UNITS     what the request costs, 1 unless said
  --profile NAME   the headers: ietf (default), x-ratelimit, envoy, github, openai or none
  -o text|json     for people (text, the default) or for programs: one line of JSON
  --help           this text

Attributes are what the server would know of the request: user=42, path=/v1/posts, ip=192.0.2.1,
header.x-user-id=42. Where the domain has descriptors, their order is that of the entries. The path
is written as a client would; both forms of it are shown where they differ.

exit code: 0 if there is an answer, be it a refusal; 1 if the rules cannot be used, 2 if the command
is wrong

example:
  $ sluice explain --rules examples/rules --domain api user=42 method=POST path=/v1/posts
)";

constexpr std::array kFlags = {
    Flag{"--rules", FlagValues::kOne, "PATH", "examples/rules"},
    Flag{"--domain", FlagValues::kOne, "DOMAIN", "api"},
    Flag{"--cost", FlagValues::kOne, "UNITS", "2"},
    Flag{"--profile", FlagValues::kOne, "NAME", "github"},
    kFormFlag,
    Flag{"--help", FlagValues::kNone},
};

// The parsed command line, which it views.
struct Arguments {
  std::string path;
  std::string_view domain;  // empty: the only one
  std::vector<Attribute> attributes;
  Cost cost;
  HeaderProfile profile = HeaderProfile::kIetf;
  OutputForm form = OutputForm::kText;
};

Result<Arguments> ReadArguments(const GivenFlags& given) {
  if (!given.Has("--rules")) {
    return Error{"expected --rules PATH, for example --rules examples/rules"};
  }
  Arguments arguments;
  arguments.path = given.ValueOr("--rules", "");
  arguments.domain = given.ValueOr("--domain", "");
  const Result<Cost> cost = ReadCost(given);
  if (!cost) return cost.error();
  arguments.cost = cost.value();
  const Result<HeaderProfile> profile = ReadHeaderProfile(given.ValueOr("--profile", "ietf"));
  if (!profile) return Error{Concat("--profile: ", profile.error().message)};
  arguments.profile = profile.value();
  const Result<OutputForm> form = ReadForm(given);
  if (!form) return form.error();
  arguments.form = form.value();
  for (const std::string_view text : given.operands()) {
    const Result<Attribute> attribute = ReadAttribute(text);
    if (!attribute) return attribute.error();
    const std::string lower = LowerCase(attribute.value().name);
    if (lower.starts_with("header.") && lower != attribute.value().name) {
      return Error{Concat("the names of headers are in lower case, found ",
                          Quoted(attribute.value().name), "; did you mean ", Quoted(lower), "?")};
    }
    arguments.attributes.push_back(attribute.value());
  }
  return arguments;
}

int Fail(Console& console, const std::string& message, int code) {
  console.err.Write(Concat("sluice explain: ", message, "\n"));
  return code;
}

// Loads the rules. The error lists all of their problems.
Result<std::shared_ptr<const RuleSet>> LoadRules(const std::string& path) {
  ReadRulesResult read = ReadAndCheckRules(ReadRuleFiles(std::array{path}), SystemZones());
  if (!HasErrors(read.problems)) return RuleSet::Make(std::move(read.spec));
  std::string message = "the rules cannot be used";
  for (const ConfigProblem& problem : read.problems) {
    message += Concat("\n", Describe(read.spec.files, problem));
  }
  return Error{message};
}

// Returns the domain that the command line names, or the only one.
Result<std::string_view> ChooseDomain(const RuleSet& rules, std::string_view written) {
  std::vector<std::string_view> names;
  for (const DomainSpec& domain : rules.spec().domains) names.push_back(domain.name);
  if (written.empty() && names.size() == 1) return names.front();
  if (written.empty()) {
    return Error{Concat("expected --domain DOMAIN, one of ", JoinWords(names, "or"))};
  }
  if (rules.Find(written) == nullptr) {
    return Error{Concat("--domain: unknown domain ", Quoted(written), Suggestion(written, names))};
  }
  return written;
}

// Replaces the path, if there is one, by its lenient form, as forward auth does, and returns the
// strict form if that differs. A value that is no URL path stays as it is, because callers of the
// API may send it. A URL path that forward auth refuses is an error.
Result<std::string_view> TakeForms(std::vector<Attribute>& attributes, PathScratch& scratch) {
  const auto path = std::ranges::find(attributes, kPathAttribute, &Attribute::name);
  if (path == attributes.end()) return std::string_view();
  const auto result = NormalPath(path->value, scratch);
  if (const auto* const fault = std::get_if<PathFault>(&result)) {
    if (fault->kind == PathFault::Kind::kMalformed) return std::string_view();
    return Error{Concat("forward auth refuses this request with 400: the path ",
                        Quoted(path->value), " ", fault->reason)};
  }
  const auto& forms = std::get<PathForms>(result);
  path->value = forms.lenient;
  return forms.differ() ? forms.strict : std::string_view();
}

int RunOn(Arguments arguments, Console& console) {
  const Result<std::shared_ptr<const RuleSet>> rules = LoadRules(arguments.path);
  if (!rules) return Fail(console, rules.error().message, kExitFailed);
  const Result<std::string_view> domain = ChooseDomain(*rules.value(), arguments.domain);
  if (!domain) return Fail(console, domain.error().message, kExitBadInput);
  PathScratch scratch;
  const Result<std::string_view> strict_path = TakeForms(arguments.attributes, scratch);
  if (!strict_path) return Fail(console, strict_path.error().message, kExitBadInput);
  const ExplainQuestion question{.domain = domain.value(),
                                 .attributes = arguments.attributes,
                                 .strict_path = strict_path.value(),
                                 .cost = arguments.cost,
                                 .profile = arguments.profile};
  const Result<ExplainedRequest> answer =
      ExplainRequest(rules.value(), question, MakeSystemClock()->Now());
  if (!answer) return Fail(console, answer.error().message, kExitFailed);
  const bool as_json = arguments.form == OutputForm::kJson;
  console.out.Write(as_json ? ExplainJson(answer.value())
                            : ExplainText(answer.value(), console.out.ink()));
  return kExitOk;
}

}  // namespace

std::string_view ExplainHelp() { return kHelp; }

int RunExplain(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (given && given.value().Has("--help")) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  Result<Arguments> arguments = given ? ReadArguments(given.value()) : given.error();
  if (!arguments) {
    return Fail(console,
                Concat(arguments.error().message, "\nRun 'sluice explain --help' to learn more."),
                kExitBadInput);
  }
  return RunOn(std::move(arguments).value(), console);
}

}  // namespace sluice::cli
