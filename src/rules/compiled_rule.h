// CompiledRule: a rule ready to match; attributes are numbers, limits are indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/sip_hash.h"
#include "rules/attribute_value.h"
#include "rules/matcher.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"

namespace sluice {

// One of the attributes that can make a part of a key.
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
  TextMap range_of;      // plan to an index of `ranges`
  std::vector<LimitRange> ranges;
  std::uint32_t otherwise = TextMap::kNone;  // index of `ranges`, or kNone
};

// Immutable. Points into the RuleSetSpec of its RuleSet, with which it lives.
struct CompiledRule {
  const RuleSpec* spec = nullptr;
  std::vector<std::pair<std::uint32_t, Matcher>>
      conditions;  // slot of the attribute, and what of it
  std::vector<std::vector<KeySource>> per;
  LimitRange limits;  // where there is no plan
  std::optional<CompiledPlans> plans;
  std::uint32_t cost_slot = TextMap::kNone;
  SipHash share;                        // of the keys, for enforce_percent: the rule absorbed
  std::vector<std::uint32_t> replaces;  // numbers of rules of the same domain
};

}  // namespace sluice
