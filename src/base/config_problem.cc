#include "base/config_problem.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

// Problems are found file by file, but in no order inside a file. Gathering more of them than are
// reported makes the reported ones the first of the file, unless it has ten thousand mistakes.
constexpr std::size_t kMaxGathered = 10 * kMaxProblems;

auto PlaceIn(const ConfigProblem& problem) {
  const Origin& origin = problem.origin;
  return std::tuple(origin.file, origin.at.line, origin.at.column);
}

std::string_view FileOf(std::span<const std::string> files, const Origin& origin) {
  if (origin.file >= files.size()) return {};
  return files[origin.file];
}

}  // namespace

std::string DescribePlace(std::span<const std::string> files, const Origin& origin) {
  std::string text(FileOf(files, origin));
  for (const std::uint32_t number : {origin.at.line, origin.at.column}) {
    if (number == 0) break;
    text = Concat(text, text.empty() ? "" : ":", number);
  }
  return text;
}

std::string Describe(std::span<const std::string> files, const ConfigProblem& problem) {
  const bool warns = problem.severity == ConfigProblem::Severity::kWarning;
  return Describe(FileOf(files, problem.origin),
                  {problem.origin.at, Concat(warns ? "warning: " : "", problem.message)});
}

bool HasErrors(std::span<const ConfigProblem> problems) {
  return std::ranges::any_of(problems, [](const ConfigProblem& problem) {
    return problem.severity == ConfigProblem::Severity::kError;
  });
}

void ConfigProblems::Error(const Origin& origin, std::string message) {
  ++error_count_;
  if (errors_.size() == kMaxGathered) return;
  errors_.push_back({origin, ConfigProblem::Severity::kError, std::move(message)});
}

void ConfigProblems::Warn(const Origin& origin, std::string message) {
  if (warnings_.size() == kMaxGathered) return;
  warnings_.push_back({origin, ConfigProblem::Severity::kWarning, std::move(message)});
}

std::vector<ConfigProblem> ConfigProblems::Take() {
  std::vector<ConfigProblem> taken = std::exchange(errors_, {});
  const std::vector<ConfigProblem> warnings = std::exchange(warnings_, {});
  error_count_ = 0;
  std::ranges::stable_sort(taken, {}, PlaceIn);
  const std::size_t errors = taken.size();
  taken.insert(taken.end(), warnings.begin(), warnings.end());
  std::ranges::stable_sort(taken.begin() + static_cast<std::ptrdiff_t>(errors), taken.end(), {},
                           PlaceIn);
  std::optional<ConfigProblem> more;
  if (taken.size() > kMaxProblems) {
    more = {taken[kMaxProblems].origin, taken[kMaxProblems].severity, "and more"};
    taken.resize(kMaxProblems);
  }
  std::ranges::stable_sort(taken, {}, PlaceIn);
  if (more) {
    if (PlaceIn(*more) < PlaceIn(taken.back())) more->origin = taken.back().origin;
    taken.push_back(*std::move(more));
  }
  return taken;
}

}  // namespace sluice
