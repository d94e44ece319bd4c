#include "rules/diff/diff_rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/flow_text.h"
#include "base/text.h"
#include "rules/compile/matcher.h"
#include "rules/model/describe_rule.h"

namespace sluice {
namespace {

std::vector<std::string> EachOnce(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

// Returns the keys of the first, then those that only the second has.
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

// Returns what is compared of a value: its text, or for `replaces` the names in any order.
std::vector<std::string> TextsOf(const DescribedValue& described) {
  const Value::List* list = described.value.AsList();
  if (described.key != "replaces" || list == nullptr) return {FlowText(described.value)};
  std::vector<std::string> texts;
  for (const Value& item : *list) texts.push_back(FlowText(item));
  return EachOnce(std::move(texts));
}

// Returns "cost 1 -> 5" if the values under the key differ.
std::optional<std::string> DiffAt(const std::string& key, const std::vector<DescribedValue>& before,
                                  const std::vector<DescribedValue>& after) {
  const auto was = std::ranges::find(before, key, &DescribedValue::key);
  const auto is = std::ranges::find(after, key, &DescribedValue::key);
  const bool in_both = was != before.end() && is != after.end();
  if (in_both && MeanTheSame(*was, *is)) return std::nullopt;
  return Concat(key, " ", was == before.end() ? kNoWords : WordsOf(*was), " -> ",
                is == after.end() ? kNoWords : WordsOf(*is));
}

// Returns whether both conditions hold for the same values, in whatever order and spelling they are
// written.
bool HoldAlike(const RulePair& rules, const ConditionSpec& before, const ConditionSpec& after) {
  MatcherSpec was = before.matcher;
  MatcherSpec is = after.matcher;
  if (was.kind == MatcherSpec::Kind::kValues) {
    const bool addresses = IsAddress(rules.old_domain, before.attribute) &&
                           IsAddress(rules.new_domain, after.attribute);
    for (MatcherSpec* matcher : {&was, &is}) {
      if (addresses) std::ranges::transform(matcher->texts, matcher->texts.begin(), SpellingOf);
      matcher->texts = EachOnce(std::move(matcher->texts));
    }
  }
  return was == is;
}

void DiffMatch(const RulePair& rules, SubjectChanges& changes) {
  const std::vector<DescribedValue> before = DescribeMatch(rules.before);
  const std::vector<DescribedValue> after = DescribeMatch(rules.after);
  const auto& old_match = rules.before.match;
  const auto& new_match = rules.after.match;
  for (const std::string& attribute : KeysOfBoth(before, after)) {
    const auto was = std::ranges::find(old_match, attribute, &ConditionSpec::attribute);
    const auto is = std::ranges::find(new_match, attribute, &ConditionSpec::attribute);
    if (was != old_match.end() && is != new_match.end() && HoldAlike(rules, *was, *is)) continue;
    if (const auto words = DiffAt(attribute, before, after)) {
      changes.Changed(Concat("match.", *words),
                      EffectWhere(FateOf(rules).in_force, StateEffect::kStay));
    }
  }
}

// Compares one part of the key between the two versions.
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

StateEffect EffectOfPlan(const RulePair& rules) {
  if (!rules.before.plan) return StateEffect::kAfresh;
  return rules.after.plan ? StateEffect::kStay : StateEffect::kUnused;
}

// Returns whether the text differs only because the action does.
bool FollowsAction(std::string_view key, const RulePair& rules) {
  if (rules.before.action == rules.after.action) return false;
  if (key == "status") return !rules.before.status && !rules.after.status;
  return key != "action" && key != "mode" && key != "message" && key != "plan";
}

void AddChange(std::string_view key, const std::string& words, const RulePair& rules,
               SubjectChanges& changes) {
  const StateFate outcome = FateOf(rules);
  const auto add = [&](std::string_view more, StateEffect effect) {
    changes.Changed(Concat(words, more), EffectWhere(outcome.in_force, effect));
  };
  if (key == "per") {
    add(outcome.keys == KeyChange::kSame ? "" : ", another key", EffectOf(outcome.keys));
  } else if (key == "plan") {
    add("", EffectOfPlan(rules));
  } else {
    add("", key == "mode" ? StateEffect::kStay : StateEffect::kNone);
  }
}

bool SameLengths(const IpPrefixLengths& a, const IpPrefixLengths& b) {
  return a.v4 == b.v4 && a.v6 == b.v6;
}

}  // namespace

bool IsAddress(const DomainSpec& domain, std::string_view attribute) {
  // Limits the number of steps to the number of aliases, so that a cycle ends, though CheckRules
  // rejects cycles.
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

bool MeanTheSame(const DescribedValue& before, const DescribedValue& after) {
  return TextsOf(before) == TextsOf(after);
}

bool Limits(const RuleSpec& rule) {
  return rule.action == RuleAction::kLimit && rule.mode != RuleMode::kOff;
}

std::string SpellingOf(const std::string& value) {
  const Result<IpPrefix> prefix = ParseIpPrefix(value);
  if (!prefix.ok()) return value;
  return Concat(FormatIpAddress(prefix.value().address), "/", prefix.value().length);
}

StateFate FateOf(const RulePair& rules) {
  const bool was = Limits(rules.before);
  const bool is = Limits(rules.after);
  if (was) return {CompareKeys(rules), is ? InForce::kBoth : InForce::kBefore};
  return {CompareKeys(rules), is ? InForce::kAfter : InForce::kNeither};
}

void DiffRule(const RulePair& rules, SubjectChanges& changes) {
  const std::vector<DescribedValue> before = DescribeRule(rules.before);
  const std::vector<DescribedValue> after = DescribeRule(rules.after);
  DiffMatch(rules, changes);
  for (const std::string& key : KeysOfBoth(before, after)) {
    const auto words = DiffAt(key, before, after);
    if (words && !FollowsAction(key, rules)) AddChange(key, *words, rules, changes);
  }
  DiffLimits(rules.before.limits, rules.after.limits, FateOf(rules), changes);
}

}  // namespace sluice
