#include "cli/rules/rules_check.h"

#include <array>
#include <string>

#include "base/text.h"
#include "cli/rules/rules_input.h"
#include "cli/usage.h"
#include "config/rules/read_rules.h"
#include "config/rules/rule_summary.h"
#include "console/json_text.h"

namespace sluice::cli {
namespace {

constexpr std::string_view kCommand = "rules check";
constexpr std::string_view kHelp =
    "sluice rules check: what is wrong with rule files\n"
    "\n"
    "usage: sluice rules check PATH... [--strict] [-o text|json]\n"
    "\n"
    "  PATH      a rule file, or a directory: all of its *.yaml, *.yml and *.json\n"
    "  --strict  treat warnings as errors\n"
    "  -o        text (default): one line for each problem; json: a list\n"
    "\n"
    "All problems of all files are printed at once, each with its file, line and column. A "
    "warning\n"
    "is something that works but is probably not what was meant.\n"
    "\n"
    "exit code: 0 if the rules can be used, 1 if they cannot, 2 if the command is wrong\n"
    "\n"
    "example:\n"
    "  $ sluice rules check examples/rules\n";

constexpr std::array kFlags = {kFormFlag, Flag{"--strict", FlagValues::kNone},
                               Flag{"--help", FlagValues::kNone}};

std::string_view WordFor(ConfigProblem::Severity severity) {
  return severity == ConfigProblem::Severity::kError ? "error" : "warning";
}

std::string AsJson(const ReadRulesResult& read) {
  std::string text = "[";
  for (const ConfigProblem& problem : read.problems) {
    const Origin& origin = problem.origin;
    text += Concat(text.size() == 1 ? "\n" : ",\n", R"( {"file":)",
                   JsonString(read.spec.files[origin.file]), R"(,"line":)", origin.at.line,
                   R"(,"column":)", origin.at.column, R"(,"severity":")", WordFor(problem.severity),
                   R"(","message":)", JsonString(problem.message), "}");
  }
  return text + (read.problems.empty() ? "]\n" : "\n]\n");
}

std::string AsText(const ReadRulesResult& read, ColorMode ink) {
  std::string text = ProblemsText(read, ink);
  if (HasErrors(read.problems)) return text;
  return Concat(text, CountText(read.spec), ": ", Emphasized(ink, Emphasis::kGreen, "good"), "\n");
}

}  // namespace

int RunRulesCheck(std::span<const std::string_view> args, Console& console) {
  const Result<GivenFlags> given = ReadFlags(kFlags, args, Operands::kAny);
  if (!given.ok()) return FailUsage(kCommand, given.error().message, console);
  if (given.value().Has("--help")) {
    console.out.Write(kHelp);
    return kExitOk;
  }
  const Result<OutputForm> form = ReadForm(given.value());
  if (!form.ok()) return FailUsage(kCommand, form.error().message, console);
  const auto paths = given.value().operands();
  if (paths.empty()) {
    return FailUsage(kCommand, "expected a rule file or a directory of them", console);
  }
  ReadRulesResult read = ReadRulesAt(paths);
  if (given.value().Has("--strict")) {
    for (ConfigProblem& problem : read.problems) problem.severity = ConfigProblem::Severity::kError;
  }
  const bool as_json = form.value() == OutputForm::kJson;
  console.out.Write(as_json ? AsJson(read) : AsText(read, console.out.ink()));
  return HasErrors(read.problems) ? kExitFailed : kExitOk;
}

}  // namespace sluice::cli
