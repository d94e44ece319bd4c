// Explain: why each rule of a domain applies to a request, or does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/descriptor_tree.h"
#include "rules/domain.h"
#include "rules/match.h"
#include "rules/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice {

// What becomes of a rule.
enum class RuleFate : std::uint8_t {
  kApplies,     // its limits are charged
  kDecides,     // it allows or denies, and nothing is charged
  kOff,         // its mode leaves it out
  kNotAsked,    // `other`, which allows or denies, decided before it
  kNoMatch,     // `condition` does not hold for `value`
  kNoKey,       // none of the attributes of `part` is there
  kNoPlan,      // there is no plan for `value`
  kReplaced,    // by `other`
  kBadCost,     // `value` should be the cost and is no number, so nothing is charged
  kNotCharged,  // it would apply, were it not for the bad cost of `other`
  kRepeated,    // an attribute that some rule uses comes twice with different values: no rule is
                // asked
};

// One part of a key, readable: the attribute that makes it, and its value; an address is cut to
// the prefix that counts, "192.0.2.0/24".
struct ExplainedKeyPart {
  std::string_view attribute;
  std::string value;

  friend bool operator==(const ExplainedKeyPart&, const ExplainedKeyPart&) = default;
};

struct RuleExplanation {
  const RuleSpec* rule = nullptr;
  RuleFate fate = RuleFate::kOff;
  const ConditionSpec* condition = nullptr;  // kNoMatch: the first that does not hold
  const KeyPartSpec* part = nullptr;         // kNoKey: the first that is missing
  const RuleSpec* other = nullptr;           // kNotAsked, kReplaced, kNotCharged
  // kNoMatch, kNoPlan, kBadCost: what the attribute in question is; none where it is missing.
  std::optional<std::string_view> value;
  // kNoMatch: the other form of a path, where there is one.
  std::optional<std::string_view> strict_value;
  std::vector<ExplainedKeyPart> key;  // kApplies; empty where there is one key for all
};

// What becomes of the attributes, in their order, in the `descriptors`.
enum class DescriptorFate : std::uint8_t {
  kApplies,    // the limit of `node` is charged
  kUnlimited,  // `node` says so
  kNoLimit,    // they end at `node`, which has no limit
  kNoKey,      // nothing below `node` has the key of the next attribute
  kNoValue,    // what has that key below `node` has other values
  kNotAsked,   // the rules have decided, or one of them has a bad cost
  kNothing,    // there are no descriptors, or no attributes
};

struct DescriptorExplanation {
  DescriptorFate fate = DescriptorFate::kNothing;
  std::size_t depth = 0;                 // how many attributes found an entry
  const DescriptorNode* node = nullptr;  // the last such entry; null at depth 0
  std::vector<ExplainedKeyPart> key;     // kApplies
};

// Points into the domain and views the attributes it was made of.
//
// Invariant: the rules and the descriptor that apply are those that Domain::MatchRules and
// MatchDescriptor charge, as GateSession calls them.
struct Explanation {
  std::vector<RuleExplanation> rules;  // all of the domain, in the order of the files
  DescriptorExplanation descriptor;
};

Explanation Explain(const Domain& domain, const MatchedAttributes& matched);
inline Explanation Explain(const Domain& domain, std::span<const Attribute> attributes) {
  return Explain(domain, MatchedAttributes{.attributes = attributes});
}

}  // namespace sluice
