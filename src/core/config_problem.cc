#include "core/config_problem.h"

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
  Add({origin, ConfigProblem::Severity::kError, std::move(message)});
}

void ConfigProblems::Warn(const Origin& origin, std::string message) {
  Add({origin, ConfigProblem::Severity::kWarning, std::move(message)});
}

void ConfigProblems::Add(ConfigProblem problem) {
  if (problems_.size() < kGatheredMost) problems_.push_back(std::move(problem));
}

std::vector<ConfigProblem> ConfigProblems::Take() {
  std::vector<ConfigProblem> taken = std::exchange(problems_, {});
  error_count_ = 0;
  std::ranges::stable_sort(taken, {}, PlaceIn);
  if (taken.size() > kProblemsMost) {
    // An error among those left out must still count as one.
    const bool errors = HasErrors(std::span(taken).subspan(kProblemsMost));
    taken.resize(kProblemsMost + 1);
    taken.back().severity =
        errors ? ConfigProblem::Severity::kError : ConfigProblem::Severity::kWarning;
    taken.back().message = "and more";
  }
  return taken;
}

}  // namespace sluice
