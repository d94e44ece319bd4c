#include "rules/compile/rule_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"
#include "rules/check/path_text.h"
#include "rules/model/glob.h"

namespace sluice {

std::size_t RuleIndex::Worth(const ConditionSpec& condition, const Attributes& attributes) {
  const MatcherSpec& matcher = condition.matcher;
  if (matcher.negated) return 0;
  if (matcher.kind == MatcherSpec::Kind::kRegex) {
    // When patterns are joined, an unclosed \Q would quote the following ones, too.
    return matcher.texts.front().find("\\Q") == std::string::npos ? 1 : 0;
  }
  // Addresses are compared as addresses, not as texts, and a glob of addresses is rarely selective.
  if (matcher.kind != MatcherSpec::Kind::kValues ||
      attributes.addresses.contains(condition.attribute)) {
    return 0;
  }
  std::size_t min = std::numeric_limits<std::size_t>::max();
  for (const std::string& text : matcher.texts) {
    if (!Glob::IsGlob(text)) continue;
    const std::size_t literal = Glob(text).LongestLiteral().size();
    if (literal == 0) return 0;
    min = std::min(min, literal + 1);
  }
  return min;
}

RuleIndex::Slot& RuleIndex::SlotOf(std::uint32_t slot) {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const Slot& each) { return each.slot == slot; });
  if (found != slots_.end()) return *found;
  slots_.emplace_back();
  slots_.back().slot = slot;
  return slots_.back();
}

std::uint32_t RuleIndex::ListFor(const std::string& text, Slot& slot) {
  const auto fresh = static_cast<std::uint32_t>(lists_.size());
  const std::uint32_t list = [&] {
    if (!Glob::IsGlob(text)) return slot.whole.FindOrAdd(text, fresh);
    const Glob glob(text);
    const std::string_view literal = glob.LongestLiteral();
    const bool begins = glob.LiteralPrefix().size() == literal.size();
    auto& by_text = begins ? slot.by_prefix : slot.by_literal;
    return by_text.try_emplace(std::string(literal), fresh).first->second;
  }();
  if (list == fresh) lists_.emplace_back();
  return list;
}

void RuleIndex::FileUnder(std::uint32_t rule, const ConditionSpec& condition, Slot& slot) {
  if (condition.matcher.kind == MatcherSpec::Kind::kRegex) {
    const std::string_view separator = slot.any_of.empty() ? "" : "|";
    slot.any_of += Concat(separator, "(?:", condition.matcher.texts.front(), ")");
    slot.regex_rules.push_back(rule);
    return;
  }
  for (const std::string& written : condition.matcher.texts) {
    const auto texts = slot.is_path ? PathTexts(written) : std::vector<std::string>{written};
    for (const std::string& text : texts) lists_[ListFor(text, slot)].push_back(rule);
  }
}

void RuleIndex::File(std::uint32_t rule, const RuleSpec& spec, const Attributes& attributes) {
  const ConditionSpec* best = nullptr;
  std::size_t worth = 0;
  for (const ConditionSpec& condition : spec.match) {
    const std::size_t its_worth = Worth(condition, attributes);
    if (its_worth > worth) best = &condition, worth = its_worth;
  }
  if (best == nullptr) {
    unfiled_.push_back(rule);
  } else {
    Slot& slot = SlotOf(attributes.slot_of.Find(best->attribute));
    slot.is_path = attributes.paths.contains(best->attribute);
    FileUnder(rule, *best, slot);
  }
}

void RuleIndex::Finish(std::uint32_t rules, LiteralRoom& literals) {
  always_.Reset(rules);
  for (const std::uint32_t rule : unfiled_) always_.Add(rule);
  for (Slot& slot : slots_) {
    slot.prefixes = PrefixMap(std::exchange(slot.by_prefix, {}));
    slot.literals = LiteralMap(std::exchange(slot.by_literal, {}), literals);
    has_literals_ |= !slot.literals.empty();
    for (const std::uint32_t list : slot.literals.left_out()) {
      for (const std::uint32_t rule : lists_[list]) always_.Add(rule);
    }
    if (slot.any_of.empty()) continue;
    // Joined, they may exceed the limits of one expression; then each rule is always a candidate.
    Result<Regex> any = Regex::Compile(std::exchange(slot.any_of, {}));
    if (any.ok()) {
      slot.any.emplace(std::move(any).value());
    } else {
      for (const std::uint32_t rule : slot.regex_rules) always_.Add(rule);
    }
  }
}

void RuleIndex::Collect(std::span<const AttributeValue> values, Bits& candidates,
                        Bits& seen) const {
  candidates = always_;
  if (has_literals_) seen.Reset(lists_.size());
  const auto add = [&](std::uint32_t list) {
    for (const std::uint32_t rule : lists_[list]) candidates.Add(rule);
  };
  const auto add_new = [&](std::uint32_t list) {
    const bool is_new = seen.AddNew(list);
    if (is_new) add(list);
    return is_new;
  };
  for (const Slot& slot : slots_) {
    const AttributeValue& value = values[slot.slot];
    if (!value.present()) continue;
    const std::string_view text = value.text();
    const std::string_view bare = slot.is_path ? WithoutTrailingSlash(text) : text;
    const std::uint32_t list = slot.whole.Find(bare);
    if (list != TextMap::kNone) add(list);
    // This also finds globs that match only without the slash, because both texts contain their
    // literals.
    slot.prefixes.ForEachPrefixOf(text, add);
    slot.literals.ForEachIn(text, add_new);
    if (slot.any && (slot.any->MatchesWhole(text) ||
                     (bare.size() != text.size() && slot.any->MatchesWhole(bare)))) {
      for (const std::uint32_t rule : slot.regex_rules) candidates.Add(rule);
    }
  }
}

}  // namespace sluice
