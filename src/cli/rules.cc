#include "cli/rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/rules_schema.h"
#include "config/read_rules.h"
#include "config/rule_files.h"
#include "core/limit_words.h"
#include "core/text.h"
#include "limiter/system_zones.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kHelp =
    "sluice rules check: what is wrong with rule files\n"
    "\n"
    "usage: sluice rules check PATH... [-o text|json]\n"
    "\n"
    "  PATH   a rule file, or a directory: all of its *.yaml, *.yml and *.json\n"
    "  -o     text (default): one line for each problem; json: a list\n"
    "\n"
    "All problems of all files are printed at once, each with its file, line and column. A "
    "warning\n"
    "is something that works but is probably not what was meant.\n"
    "\n"
    "exit code: 0 if the rules can be used, 1 if they cannot, 2 if the command is wrong\n"
    "\n"
    "example:\n"
    "  $ sluice rules check examples/rules\n";

struct CheckRequest {
  std::vector<std::string> paths;
  bool as_json = false;
};

Result<CheckRequest> ReadArguments(std::span<const std::string_view> args) {
  CheckRequest request;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "-o") {
      const std::string_view form = i + 1 < args.size() ? args[++i] : "";
      if (form != "text" && form != "json") {
        return Error{Concat("-o: expected text or json, found ", Quoted(form))};
      }
      request.as_json = form == "json";
    } else if (args[i].starts_with('-')) {
      constexpr std::array<std::string_view, 2> kKnown = {"-o", "--help"};
      return Error{Concat("unknown flag ", Quoted(args[i]), Suggestion(args[i], kKnown))};
    } else {
      request.paths.emplace_back(args[i]);
    }
  }
  if (request.paths.empty()) return Error{"expected a rule file or a directory of them"};
  return request;
}

std::string_view WordFor(RuleProblem::Severity severity) {
  return severity == RuleProblem::Severity::kError ? "error" : "warning";
}

std::string AsJson(const ReadRulesResult& read) {
  std::string text = "[";
  for (const RuleProblem& problem : read.problems) {
    const Origin& origin = problem.origin;
    text += Concat(text.size() == 1 ? "\n" : ",\n", R"( {"file":)",
                   JsonString(read.spec.files[origin.file]), R"(,"line":)", origin.at.line,
                   R"(,"column":)", origin.at.column, R"(,"severity":")", WordFor(problem.severity),
                   R"(","message":)", JsonString(problem.message), "}");
  }
  return text + (read.problems.empty() ? "]\n" : "\n]\n");
}

std::string AsText(const ReadRulesResult& read) {
  std::string text;
  for (const RuleProblem& problem : read.problems) {
    text += Describe(read.spec, problem) + "\n";
  }
  if (HasErrors(read.problems)) return text;
  std::size_t rules = 0;
  for (const DomainSpec& domain : read.spec.domains) rules += domain.rules.size();
  return text + Concat(read.spec.files.size(), read.spec.files.size() == 1 ? " file, " : " files, ",
                       read.spec.domains.size(),
                       read.spec.domains.size() == 1 ? " domain, " : " domains, ", rules,
                       rules == 1 ? " rule: good\n" : " rules: good\n");
}

int RunCheck(std::span<const std::string_view> args, Console& console) {
  const Result<CheckRequest> request = ReadArguments(args);
  if (!request.ok()) {
    console.err.Write(Concat("sluice rules check: ", request.error().message, "\n"));
    return kExitBadInput;
  }
  const Result<std::vector<RuleText>> texts = ReadRuleFiles(request.value().paths);
  if (!texts.ok()) {
    console.err.Write(Concat("sluice rules check: ", texts.error().message, "\n"));
    return kExitFailed;
  }
  const ReadRulesResult read = ReadAndCheckRules(texts.value(), SystemZones());
  console.out.Write(request.value().as_json ? AsJson(read) : AsText(read));
  return HasErrors(read.problems) ? kExitFailed : kExitOk;
}

}  // namespace

std::string_view RulesHelp() { return kHelp; }

int RunRules(std::span<const std::string_view> args, Console& console) {
  if (!args.empty() && args.front() == "schema") return RunRulesSchema(args.subspan(1), console);
  if (std::find(args.begin(), args.end(), "--help") != args.end()) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  if (args.empty() || args.front() != "check") {
    constexpr std::array<std::string_view, 2> kKnown = {"check", "schema"};
    const std::string_view found = args.empty() ? "" : args.front();
    console.err.Write(Concat("sluice rules: unknown command ", Quoted(found),
                             Suggestion(found, kKnown), "\n", kHelp));
    return kExitBadInput;
  }
  return RunCheck(args.subspan(1), console);
}

}  // namespace sluice::cli
