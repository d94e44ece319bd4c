#include "config/rule_status.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/text.h"

namespace sluice {
namespace {

constexpr std::size_t kShownMost = 5;

std::string Shown(std::span<const std::string> problems) {
  std::string text;
  for (const std::string& problem : problems.first(std::min(problems.size(), kShownMost))) {
    text += Concat(text.empty() ? "" : "; ", problem);
  }
  if (problems.size() <= kShownMost) return text;
  return Concat(text, "; and ", problems.size() - kShownMost, " more");
}

}  // namespace

std::string LoadedText(const RuleStatus& status) {
  const RulesInForce& rules = *status.in_force;
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(rules.load_time);
  return Concat("rules loaded: ", rules.count, ", hash ", HexText(rules.hash), ", in ",
                took.count(), " ms", rules.warnings.empty() ? "" : "; ", Shown(rules.warnings));
}

std::string NotLoadedText(const RuleStatus& status) {
  const std::string kept =
      status.in_force ? Concat("those with hash ", HexText(status.in_force->hash), " stay in force")
                      : "none are in force";
  return Concat("rules not loaded: ", Shown(status.failure->problems), "; ", kept);
}

}  // namespace sluice
