#include "config/watch/rule_status.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/text.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxShown = 5;
// Each warning is one line, and the log writes at most 100 lines per second.
constexpr std::size_t kMaxWarningsShown = 20;

std::string CountWarnings(std::size_t count) {
  if (count == 0) return {};
  return Concat("; ", count, count == 1 ? " warning" : " warnings");
}

std::string Shown(std::span<const std::string> problems) {
  std::string text;
  for (const std::string& problem : problems.first(std::min(problems.size(), kMaxShown))) {
    text += Concat(text.empty() ? "" : "; ", problem);
  }
  if (problems.size() <= kMaxShown) return text;
  return Concat(text, "; and ", problems.size() - kMaxShown, " more");
}

}  // namespace

std::string LoadedText(const RuleStatus& status) {
  const RulesInForce& rules = *status.in_force;
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(rules.load_time);
  return Concat("rules loaded: ", rules.count, ", hash ", HexText(rules.hash), ", in ",
                took.count(), " ms", CountWarnings(rules.warnings.size()));
}

std::vector<std::string> WarningTexts(const RuleStatus& status) {
  const std::vector<std::string>& warnings = status.in_force->warnings;
  const std::size_t shown = std::min(warnings.size(), kMaxWarningsShown);
  std::vector<std::string> texts(warnings.begin(),
                                 warnings.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < warnings.size()) {
    texts.push_back(
        Concat("and ", warnings.size() - shown, " more; `sluice rules check` prints all of them"));
  }
  return texts;
}

std::string NotLoadedText(const RuleStatus& status) {
  const std::string kept =
      status.in_force ? Concat("those with hash ", HexText(status.in_force->hash), " stay in force")
                      : "none are in force";
  return Concat("rules not loaded: ", Shown(status.failure->problems), "; ", kept);
}

}  // namespace sluice
