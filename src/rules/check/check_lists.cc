#include "rules/check/check_lists.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>

#include "base/text.h"

namespace sluice {
namespace {

// The maximum number of bad values that are reported: if the whole list is of the wrong kind, the
// first ones suffice.
constexpr std::size_t kMaxReported = 10;

void CheckAddresses(const ListSpec& list, const RuleSpec& rule, ConfigProblems& problems) {
  std::size_t reported = 0;
  for (std::size_t i = 0; i < list.values.size() && reported < kMaxReported; ++i) {
    const Result<IpPrefix> prefix = ParseIpPrefix(list.values[i]);
    if (prefix.ok()) continue;
    ++reported;
    problems.Error(OriginOf(list, i),
                   Concat(prefix.error().message, " (the rule ", Quoted(rule.name),
                          " looks for 'ip' in the list ", Quoted(list.name), ")"));
  }
}

// Reports the first value that is not of the same kind as the first one.
void CheckKind(const ListSpec& list, ConfigProblems& problems) {
  const bool addresses = ParseIpPrefix(list.values.front()).ok();
  for (std::size_t i = 1; i < list.values.size(); ++i) {
    const Result<IpPrefix> prefix = ParseIpPrefix(list.values[i]);
    if (prefix.ok() == addresses) continue;
    problems.Error(OriginOf(list, i),
                   prefix.ok() ? Concat(Quoted(list.values[i]),
                                        " is an address and the values before it are not; expected "
                                        "addresses and prefixes alone, or none")
                               : Concat("in a list of addresses: ", prefix.error().message));
    return;
  }
}

}  // namespace

Origin OriginOf(const ListSpec& list, std::size_t value) {
  return value < list.origins.size() ? list.origins[value] : list.origin;
}

void CheckLists(const DomainSpec& domain, ConfigProblems& problems) {
  std::unordered_map<std::string_view, const RuleSpec*> of_ip;  // name of the list to the rule
  for (const RuleSpec& rule : domain.rules) {
    for (const ConditionSpec& condition : rule.match) {
      const MatcherSpec& matcher = condition.matcher;
      if (condition.attribute != "ip" || matcher.kind != MatcherSpec::Kind::kIn) continue;
      of_ip.emplace(matcher.texts.front(), &rule);
    }
  }
  for (const ListSpec& list : domain.lists) {
    const auto used = of_ip.find(list.name);
    if (used != of_ip.end()) {
      CheckAddresses(list, *used->second, problems);
    } else if (list.mixed) {
      CheckKind(list, problems);
    }
  }
}

}  // namespace sluice
