// CompiledRule: a rule prepared for matching, with attributes as slot numbers and limits as
// indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/sip_hash.h"
#include "rules/compile/matcher.h"
#include "rules/compile/text_map.h"
#include "rules/model/attribute_value.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// One of the attributes that can provide a part of a key.
struct KeySource {
  std::uint32_t slot = 0;
  AttributeKind kind = AttributeKind::kTexts;
};

// The limits first .. first + count - 1 of RuleSet::limits().
struct LimitRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct CompiledPlans {
  std::uint32_t by = 0;  // slot of the attribute that names the plan
  TextMap range_of;      // plan name to index of `ranges`
  std::vector<LimitRange> ranges;
  std::uint32_t otherwise = TextMap::kNone;  // index of `ranges`, or kNone
};

// Immutable. Points into the RuleSetSpec of its RuleSet and lives as long as it.
struct CompiledRule {
  const RuleSpec* spec = nullptr;
  // The slot of each attribute, and the condition on it.
  std::vector<std::pair<std::uint32_t, Matcher>> conditions;
  std::vector<std::vector<KeySource>> per;
  LimitRange limits;  // unless the rule has plans
  std::optional<CompiledPlans> plans;
  std::uint32_t cost_slot = TextMap::kNone;
  SipHash share;                        // hash for enforce_percent; has absorbed the rule's id
  std::vector<std::uint32_t> replaces;  // indexes of rules of the same domain
};

}  // namespace sluice
