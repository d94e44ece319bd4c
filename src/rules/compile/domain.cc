#include "rules/compile/domain.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/decimal.h"
#include "core/limit/rate.h"
#include "rules/check/path_text.h"
#include "rules/compile/key_writer.h"

namespace sluice {
namespace {

std::optional<Cost> ReadCost(std::string_view text) {
  const auto number = ReadWhole(text);
  const auto* const units = std::get_if<std::int64_t>(&number);
  if (units == nullptr || *units > kMaxUnits) return std::nullopt;
  return Cost{*units};
}

}  // namespace

bool Domain::Bind(const MatchedAttributes& matched, Match& match) const {
  match.values_.assign(slots_, AttributeValue{});
  for (const Attribute& attribute : matched.attributes) {
    const std::uint32_t slot = slot_of_.Find(attribute.name);
    if (slot == TextMap::kNone) continue;
    AttributeValue& value = match.values_[slot];
    if (!value.present()) {
      value = AttributeValue(attribute.value);
    } else if (matched.repeats == Repeats::kRefused && value.text() != attribute.value) {
      return false;
    }
  }
  if (!IsReadAlike(matched.lenient_attributes, match)) return false;
  TakeAliases(match.values_);
  if (!address_slots_.empty()) RestateAddresses(match);
  // Large lists are not in the CPU caches; this loads them while the index collects candidates.
  for (const auto& [slot, list] : lookups_) list->Prefetch(match.values_[slot]);
  return true;
}

bool Domain::IsReadAlike(std::span<const Attribute> lenient_attributes, const Match& match) const {
  return std::ranges::all_of(lenient_attributes, [&](const Attribute& lenient) {
    const std::uint32_t slot = slot_of_.Find(lenient.name);
    if (slot == TextMap::kNone) return true;
    const AttributeValue& value = match.values_[slot];
    return value.present() && value.text() == lenient.value;
  });
}

void Domain::TakeAliases(std::vector<AttributeValue>& values) const {
  for (const Alias& alias : aliases_) {
    if (!values[alias.slot].present()) values[alias.slot] = values[alias.source];
  }
}

void Domain::BindStrict(const MatchedAttributes& matched, Match& match) const {
  std::vector<AttributeValue>& values = match.strict_values_;
  values.assign(slots_, AttributeValue{});
  values[path_slot_] = AttributeValue(matched.strict_path);
  for (const Attribute& attribute : matched.attributes) {
    const std::uint32_t slot = slot_of_.Find(attribute.name);
    if (slot == TextMap::kNone || values[slot].present()) continue;
    values[slot] = AttributeValue(attribute.value);
  }
  TakeAliases(values);
  for (const std::uint32_t slot : address_slots_) values[slot] = match.values_[slot];
  index_.Collect(values, match.strict_candidates_, match.lists_seen_);
  match.candidates_.AddAll(match.strict_candidates_);
}

void Domain::RestateAddresses(Match& match) const {
  // Values will refer to these strings, so none may move once the first has been written.
  if (match.address_texts_.size() < address_slots_.size()) {
    match.address_texts_.resize(address_slots_.size());
  }
  for (std::size_t i = 0; i < address_slots_.size(); ++i) {
    AttributeValue& value = match.values_[address_slots_[i]];
    // Only IPv6 syntax, which contains a colon, allows several spellings of an address.
    const bool may_differ = value.present() && value.text().find(':') != std::string_view::npos;
    if (!may_differ || !value.Ip()) continue;
    std::string& text = match.address_texts_[i];
    text.clear();
    AppendIpAddress(*value.Ip(), text);
    value.Restate(text);
  }
}

bool Domain::Holds(const CompiledRule& rule, Match& match) {
  if (match.has_two_forms_) {
    for (std::size_t i = 0; i < rule.conditions.size(); ++i) {
      if (!ConditionHolds(rule, i, match)) return false;
    }
    return true;
  }
  for (const auto& [slot, matcher] : rule.conditions) {
    if (!matcher.Holds(match.values_[slot])) return false;
  }
  return true;
}

bool Domain::ConditionHolds(const CompiledRule& rule, std::size_t condition, Match& match) {
  const auto& [slot, matcher] = rule.conditions[condition];
  const bool holds = matcher.Holds(match.values_[slot]);
  if (!match.has_two_forms_) return holds;
  const bool needs_both = rule.spec->action == RuleAction::kAllow;
  return holds == needs_both ? matcher.Holds(match.strict_values_[slot]) : holds;
}

bool Domain::HoldsInBothForms(const CompiledRule& rule, Match& match) {
  for (const auto& [slot, matcher] : rule.conditions) {
    if (!matcher.Holds(match.values_[slot]) || !matcher.Holds(match.strict_values_[slot])) {
      return false;
    }
  }
  return true;
}

std::size_t Domain::SourceOf(const std::vector<KeySource>& part, const Match& match) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (match.values_[part[i].slot].present()) return i;
  }
  return kNoSource;
}

bool Domain::HasKey(const CompiledRule& rule, const Match& match) {
  for (const auto& part : rule.per) {
    if (SourceOf(part, match) == kNoSource) return false;
  }
  return true;
}

LimitRange Domain::LimitsFor(const CompiledRule& rule, const Match& match) {
  if (!rule.plans) return rule.limits;
  const CompiledPlans& plans = *rule.plans;
  const AttributeValue& value = match.values_[plans.by];
  std::uint32_t range = TextMap::kNone;
  if (value.present()) range = plans.range_of.Find(value.text());
  if (range == TextMap::kNone) range = plans.otherwise;
  return range == TextMap::kNone ? LimitRange{} : plans.ranges[range];
}

// A client that knew which keys are in shadow could choose one of them, so the hash is keyed with a
// secret. The inner hash has absorbed the rule's id in advance.
bool Domain::IsEnforced(const CompiledRule& rule, std::string_view key, const HashSeed* secret) {
  if (rule.spec->mode != RuleMode::kEnforce) return false;
  const std::uint32_t share = rule.spec->enforce.millionths;
  if (share == Share::kWhole) return true;
  if (secret == nullptr) return share != 0;
  const std::uint64_t inner = rule.share.Finish(key);
  char bytes[sizeof(inner)];
  std::memcpy(bytes, &inner, sizeof(inner));
  return SipHash(*secret).Finish({bytes, sizeof(bytes)}) % Share::kWhole < share;
}

bool Domain::IsEnforcedFor(const CompiledRule& rule, Match& match) const {
  const std::size_t before = match.keys_.size();
  RuleCharge charge;
  WriteKey(rule, match, charge);
  const bool enforced = IsEnforced(rule, match.Key(charge), match.share_secret_);
  match.keys_.resize(before);
  return enforced;
}

bool Domain::Replaces(const CompiledRule& rule, Match& match) const {
  if (match.has_two_forms_ && !HoldsInBothForms(rule, match)) return false;
  return IsEnforcedFor(rule, match);
}

void Domain::DropReplaced(Match& match) const {
  for (const std::uint32_t number : replacing_) {
    if (!match.applying_.Has(number) || !Replaces(rules_[number], match)) continue;
    for (const std::uint32_t replaced : rules_[number].replaces) match.applying_.Remove(replaced);
  }
}

void Domain::WriteKey(const CompiledRule& rule, Match& match, RuleCharge& charge) const {
  KeyWriter writer(match.keys_);
  for (const auto& part : rule.per) {
    const std::size_t source = SourceOf(part, match);
    AttributeValue& value = match.values_[part[source].slot];
    const auto alternative = static_cast<std::uint8_t>(source);
    switch (part[source].kind) {
      case AttributeKind::kTexts:
        writer.Add(value.text(), alternative);
        break;
      case AttributeKind::kAddresses:
        writer.AddIp(value, alternative, spec_->ip_prefix);
        break;
      case AttributeKind::kPaths:
        writer.Add(WithoutTrailingSlash(value.text()), alternative);
        break;
    }
  }
  charge.key_begin = writer.begin();
  charge.key_size = writer.size();
}

bool Domain::AddCharges(const CompiledRule& rule, Cost cost, Match& match) const {
  if (rule.spec->cost) {
    if (const auto* const fixed = std::get_if<std::int64_t>(&*rule.spec->cost)) cost.units = *fixed;
  }
  RuleCharge charge;
  charge.rule = &rule;
  WriteKey(rule, match, charge);
  const bool enforced = IsEnforced(rule, match.Key(charge), match.share_secret_);
  charge.enforcement = enforced ? Enforcement::kEnforce : Enforcement::kShadow;
  if (rule.cost_slot != TextMap::kNone && match.values_[rule.cost_slot].present()) {
    const std::optional<Cost> read = ReadCost(match.values_[rule.cost_slot].text());
    if (!read) match.bad_cost_ = &rule;
    // A rule in shadow never refuses a request, whatever its cost is.
    if (!read && charge.enforcement == Enforcement::kEnforce) return false;
    cost = read.value_or(cost);
  }
  charge.cost = cost;
  const LimitRange limits = LimitsFor(rule, match);
  for (std::uint32_t i = 0; i < limits.count; ++i) {
    charge.limit = limits.first + i;
    match.charges_.push_back(charge);
  }
  return true;
}

void Domain::MatchRules(const MatchedAttributes& matched, Cost cost, Match& match) const {
  if (rules_.empty()) return;
  if (!Bind(matched, match)) {
    match.outcome_ = MatchOutcome::kRepeated;
    return;
  }
  index_.Collect(match.values_, match.candidates_, match.lists_seen_);
  match.has_two_forms_ = !matched.strict_path.empty() && path_slot_ != TextMap::kNone;
  if (match.has_two_forms_) BindStrict(matched, match);
  match.applying_.Reset(rules_.size());
  match.candidates_.ForEachWhile([&](std::size_t number) {
    const CompiledRule& rule = rules_[number];
    if (!Holds(rule, match)) return true;
    if (number < gates_) {
      match.outcome_ =
          rule.spec->action == RuleAction::kAllow ? MatchOutcome::kAllow : MatchOutcome::kDeny;
      match.decided_by_ = &rule;
      return false;
    }
    if (HasKey(rule, match) && LimitsFor(rule, match).count != 0) match.applying_.Add(number);
    return true;
  });
  if (match.outcome_ != MatchOutcome::kCharges) return;
  DropReplaced(match);
  match.applying_.ForEachWhile([&](std::size_t number) {
    if (AddCharges(rules_[number], cost, match)) return true;
    match.outcome_ = MatchOutcome::kBadCost;
    match.decided_by_ = &rules_[number];
    return false;
  });
}

}  // namespace sluice
