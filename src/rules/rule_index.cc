#include "rules/rule_index.h"

#include <algorithm>
#include <limits>

#include "rules/glob.h"
#include "rules/matcher.h"

namespace sluice {

int RuleIndex::Worth(const ConditionSpec& condition) {
  const MatcherSpec& matcher = condition.matcher;
  // Addresses are compared as such, not as texts.
  const bool texts = matcher.kind == MatcherSpec::Kind::kValues && !matcher.negated &&
                     condition.attribute != kIpAttribute;
  if (!texts) return 0;
  constexpr int kWholeValue = std::numeric_limits<int>::max();
  int least = kWholeValue;
  for (const std::string& text : matcher.texts) {
    if (!Glob::IsGlob(text)) continue;
    least = std::min(least, static_cast<int>(Glob(text).LiteralPrefix().size()));
  }
  return least;
}

RuleIndex::Slot& RuleIndex::SlotOf(std::uint32_t slot) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const Slot& each) { return each.slot == slot; });
  if (found != slots_.end()) return *found;
  slots_.push_back({.slot = slot, .whole = {}, .by_prefix = {}, .prefixes = {}});
  return slots_.back();
}

void RuleIndex::FileUnder(std::uint32_t rule, const ConditionSpec& condition, Slot& slot) {
  for (const std::string& text : condition.matcher.texts) {
    const auto fresh = static_cast<std::uint32_t>(lists_.size());
    const std::uint32_t list =
        Glob::IsGlob(text)
            ? slot.by_prefix.try_emplace(std::string(Glob(text).LiteralPrefix()), fresh)
                  .first->second
            : slot.whole.FindOrAdd(text, fresh);
    if (list == fresh) lists_.emplace_back();
    lists_[list].push_back(rule);
  }
}

void RuleIndex::File(std::uint32_t rule, const RuleSpec& spec, const TextMap& slot_of) {
  const ConditionSpec* best = nullptr;
  for (const ConditionSpec& condition : spec.match) {
    if (Worth(condition) > (best == nullptr ? 0 : Worth(*best))) best = &condition;
  }
  if (best == nullptr) {
    unfiled_.push_back(rule);
  } else {
    FileUnder(rule, *best, SlotOf(slot_of.Find(best->attribute)));
  }
}

void RuleIndex::Finish(std::uint32_t rules) {
  always_.Reset(rules);
  for (const std::uint32_t rule : unfiled_) always_.Add(rule);
  for (Slot& slot : slots_) slot.prefixes = PrefixMap(std::exchange(slot.by_prefix, {}));
}

void RuleIndex::Collect(std::span<const AttributeValue> values, Bits& candidates) const {
  candidates = always_;
  const auto add = [&](std::uint32_t list) {
    for (const std::uint32_t rule : lists_[list]) candidates.Add(rule);
  };
  for (const Slot& slot : slots_) {
    const AttributeValue& value = values[slot.slot];
    if (!value.present()) continue;
    const std::uint32_t list = slot.whole.Find(value.text());
    if (list != TextMap::kNone) add(list);
    slot.prefixes.ForEachPrefixOf(value.text(), add);
  }
}

}  // namespace sluice
