#include "cli/rules/rules_input.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "config/rules/rule_files.h"
#include "limiter/system_zones.h"

namespace sluice::cli {
namespace {

std::string InColor(const ReadRulesResult& read, const ConfigProblem& problem) {
  const bool is_error = problem.severity == ConfigProblem::Severity::kError;
  return Concat(Emphasized(ColorMode::kColor, Emphasis::kBold,
                           DescribePlace(read.spec.files, problem.origin)),
                ": ",
                Emphasized(ColorMode::kColor, is_error ? Emphasis::kRed : Emphasis::kYellow,
                           is_error ? "error:" : "warning:"),
                " ", problem.message);
}

}  // namespace

std::string ProblemsText(const ReadRulesResult& read, ColorMode ink) {
  std::string text;
  for (const ConfigProblem& problem : read.problems) {
    text += ink == ColorMode::kColor ? InColor(read, problem) : Describe(read.spec.files, problem);
    text += "\n";
  }
  return text;
}

ReadRulesResult ReadRulesAt(std::span<const std::string_view> paths) {
  const std::vector<std::string> names(paths.begin(), paths.end());
  return ReadAndCheckRules(ReadRuleFiles(names), SystemZones());
}

std::optional<RuleSetSpec> LoadRules(std::span<const std::string_view> paths, Console& console) {
  ReadRulesResult read = ReadRulesAt(paths);
  if (!HasErrors(read.problems)) return std::move(read.spec);
  console.err.Write(ProblemsText(read, console.err.ink()));
  return std::nullopt;
}

}  // namespace sluice::cli
