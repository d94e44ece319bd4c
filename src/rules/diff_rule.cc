#include "rules/diff_rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "core/flow_text.h"
#include "core/text.h"
#include "rules/describe_rule.h"
#include "rules/matcher.h"

namespace sluice {
namespace {

// The keys of the first, then those that the second alone has.
std::vector<std::string> KeysOfBoth(const std::vector<DescribedValue>& before,
                                    const std::vector<DescribedValue>& after) {
  std::vector<std::string> keys;
  for (const std::vector<DescribedValue>* values : {&before, &after}) {
    for (const DescribedValue& value : *values) {
      if (std::ranges::find(keys, value.key) == keys.end()) keys.push_back(value.key);
    }
  }
  return keys;
}

// "cost 1 -> 5", where the values under the key differ.
std::optional<std::string> DiffAt(const std::string& key, const std::vector<DescribedValue>& before,
                                  const std::vector<DescribedValue>& after) {
  const auto was = std::ranges::find(before, key, &DescribedValue::key);
  const auto is = std::ranges::find(after, key, &DescribedValue::key);
  const bool in_both = was != before.end() && is != after.end();
  if (in_both && FlowText(was->value) == FlowText(is->value)) return std::nullopt;
  return Concat(key, " ", was == before.end() ? kNoWords : WordsOf(*was), " -> ",
                is == after.end() ? kNoWords : WordsOf(*is));
}

void DiffMatch(const RulePair& rules, SubjectChanges& changes) {
  const std::vector<DescribedValue> before = DescribeMatch(rules.before);
  const std::vector<DescribedValue> after = DescribeMatch(rules.after);
  for (const std::string& attribute : KeysOfBoth(before, after)) {
    if (const auto words = DiffAt(attribute, before, after)) {
      changes.Changed(Concat("match.", *words), StateEffect::kStay);
    }
  }
}

// One part of a key in both sets.
KeyChange ComparePart(const RulePair& rules, std::size_t index) {
  const std::vector<std::string>& before = rules.before.per[index].attributes;
  const std::vector<std::string>& after = rules.after.per[index].attributes;
  const std::size_t common = std::min(before.size(), after.size());
  bool same = true;
  bool by_value = false;
  for (std::size_t i = 0; i < common; ++i) {
    const bool alike =
        IsAddress(rules.old_domain, before[i]) == IsAddress(rules.new_domain, after[i]);
    same = same && alike && before[i] == after[i];
    by_value = by_value || alike;
  }
  if (same) return KeyChange::kSame;
  return by_value ? KeyChange::kByValue : KeyChange::kOther;
}

StateEffect EffectOf(KeyChange keys) {
  switch (keys) {
    case KeyChange::kSame:
      return StateEffect::kStay;
    case KeyChange::kPartly:
      return StateEffect::kPartly;
    case KeyChange::kByValue:
      return StateEffect::kByValue;
    case KeyChange::kOther:
      break;
  }
  return StateEffect::kAfresh;
}

StateEffect EffectOfMode(const RulePair& rules) {
  if (rules.after.action != RuleAction::kLimit) return StateEffect::kNone;
  if (rules.after.mode == RuleMode::kOff) return StateEffect::kUnused;
  return rules.before.mode == RuleMode::kOff ? StateEffect::kAfresh : StateEffect::kStay;
}

StateEffect EffectOfPlan(const RulePair& rules) {
  if (!rules.before.plan) return StateEffect::kAfresh;
  return rules.after.plan ? StateEffect::kStay : StateEffect::kUnused;
}

// Whether the text differs only because the action does.
bool FollowsAction(std::string_view key, const RulePair& rules) {
  if (rules.before.action == rules.after.action) return false;
  if (key == "status") return !rules.before.status && !rules.after.status;
  return key != "action" && key != "mode" && key != "message" && key != "plan";
}

void AddChange(std::string_view key, const std::string& words, const RulePair& rules,
               SubjectChanges& changes) {
  if (key == "per") {
    const KeyChange keys = CompareKeys(rules);
    changes.Changed(Concat(words, keys == KeyChange::kSame ? "" : ", another key"), EffectOf(keys));
  } else if (key == "plan") {
    changes.Changed(words, EffectOfPlan(rules));
  } else if (key == "mode") {
    changes.Changed(words, EffectOfMode(rules));
  } else {
    changes.Changed(words, StateEffect::kNone);
  }
}

bool SameLengths(const IpPrefixLengths& a, const IpPrefixLengths& b) {
  return a.v4 == b.v4 && a.v6 == b.v6;
}

}  // namespace

bool IsAddress(const DomainSpec& domain, std::string_view attribute) {
  // No more steps than there are aliases, though CheckRules refuses circles.
  for (std::size_t steps = 0; steps <= domain.aliases.size(); ++steps) {
    if (attribute == kIpAttribute) return true;
    const auto alias = std::ranges::find(domain.aliases, attribute, &AliasSpec::name);
    if (alias == domain.aliases.end()) return false;
    attribute = alias->source;
  }
  return false;
}

bool HasAddressInKey(const DomainSpec& domain, const RuleSpec& rule) {
  return std::ranges::any_of(rule.per, [&](const KeyPartSpec& part) {
    return std::ranges::any_of(part.attributes,
                               [&](const std::string& each) { return IsAddress(domain, each); });
  });
}

KeyChange CompareKeys(const RulePair& rules) {
  if (rules.before.per.size() != rules.after.per.size()) return KeyChange::kOther;
  const bool cut_alike = SameLengths(rules.old_domain.ip_prefix, rules.new_domain.ip_prefix);
  const bool has_address = HasAddressInKey(rules.new_domain, rules.after);
  KeyChange keys = !cut_alike && has_address ? KeyChange::kPartly : KeyChange::kSame;
  for (std::size_t i = 0; i < rules.after.per.size(); ++i) {
    keys = std::max(keys, ComparePart(rules, i));
  }
  return keys;
}

void DiffRule(const RulePair& rules, SubjectChanges& changes) {
  const std::vector<DescribedValue> before = DescribeRule(rules.before);
  const std::vector<DescribedValue> after = DescribeRule(rules.after);
  DiffMatch(rules, changes);
  for (const std::string& key : KeysOfBoth(before, after)) {
    const auto words = DiffAt(key, before, after);
    if (words && !FollowsAction(key, rules)) AddChange(key, *words, rules, changes);
  }
  DiffLimits(rules.before.limits, rules.after.limits, CompareKeys(rules), changes);
}

}  // namespace sluice
