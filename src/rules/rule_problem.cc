#include "rules/rule_problem.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/text.h"

namespace sluice {
namespace {

// Problems are found file by file, but inside a file not from top to bottom. Gathering more than
// are shown makes the shown ones the first, short of a file with ten thousand mistakes.
constexpr std::size_t kGatheredMost = 10 * kProblemsMost;

auto PlaceIn(const RuleProblem& problem) {
  const Origin& origin = problem.origin;
  return std::tuple(origin.file, origin.at.line, origin.at.column);
}

std::string_view FileOf(const RuleSetSpec& spec, const Origin& origin) {
  if (origin.file >= spec.files.size()) return {};
  return spec.files[origin.file];
}

}  // namespace

std::string DescribePlace(const RuleSetSpec& spec, const Origin& origin) {
  std::string text(FileOf(spec, origin));
  for (const std::uint32_t number : {origin.at.line, origin.at.column}) {
    if (number == 0) break;
    text = Concat(text, text.empty() ? "" : ":", number);
  }
  return text;
}

std::string Describe(const RuleSetSpec& spec, const RuleProblem& problem) {
  const bool warns = problem.severity == RuleProblem::Severity::kWarning;
  return Describe(FileOf(spec, problem.origin),
                  {problem.origin.at, Concat(warns ? "warning: " : "", problem.message)});
}

bool HasErrors(std::span<const RuleProblem> problems) {
  return std::ranges::any_of(problems, [](const RuleProblem& problem) {
    return problem.severity == RuleProblem::Severity::kError;
  });
}

void RuleProblems::Error(const Origin& origin, std::string message) {
  ++error_count_;
  Add({origin, RuleProblem::Severity::kError, std::move(message)});
}

void RuleProblems::Warn(const Origin& origin, std::string message) {
  Add({origin, RuleProblem::Severity::kWarning, std::move(message)});
}

void RuleProblems::Add(RuleProblem problem) {
  if (problems_.size() < kGatheredMost) problems_.push_back(std::move(problem));
}

std::vector<RuleProblem> RuleProblems::Take() {
  std::vector<RuleProblem> taken = std::exchange(problems_, {});
  error_count_ = 0;
  std::ranges::stable_sort(taken, {}, PlaceIn);
  if (taken.size() > kProblemsMost) {
    // An error among those left out must still count as one.
    const bool errors = HasErrors(std::span(taken).subspan(kProblemsMost));
    taken.resize(kProblemsMost + 1);
    taken.back().severity =
        errors ? RuleProblem::Severity::kError : RuleProblem::Severity::kWarning;
    taken.back().message = "and more";
  }
  return taken;
}

}  // namespace sluice
