// Explain: reports why each rule of a domain applies to a request, or why not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/compile/descriptor_tree.h"
#include "rules/compile/domain.h"
#include "rules/compile/match.h"
#include "rules/model/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice {

// How a rule affects the request.
enum class RuleFate : std::uint8_t {
  kApplies,     // its limits are charged
  kDecides,     // it allows or denies the request, and nothing is charged
  kOff,         // its mode disables it
  kNotAsked,    // `other`, an allow or deny rule, decided before it
  kNoMatch,     // `condition` does not hold for `value`
  kNoKey,       // none of the attributes of `part` is present
  kNoPlan,      // there is no plan named `value`
  kReplaced,    // `other` replaces it
  kBadCost,     // `value` should be the cost but is not a valid number, so nothing is charged
  kNotCharged,  // it would apply if the cost of `other` were valid
  // An attribute that some rule uses is repeated with different values: no rule is evaluated.
  kRepeated,
};

// One part of a key in readable form: the attribute that provides it and its value. An address is
// shown as the prefix that is kept: "192.0.2.0/24".
struct ExplainedKeyPart {
  std::string_view attribute;
  std::string value;

  friend bool operator==(const ExplainedKeyPart&, const ExplainedKeyPart&) = default;
};

struct RuleExplanation {
  const RuleSpec* rule = nullptr;
  RuleFate outcome = RuleFate::kOff;
  const ConditionSpec* condition = nullptr;  // kNoMatch: the first one that does not hold
  const KeyPartSpec* part = nullptr;         // kNoKey: the first one that is missing
  const RuleSpec* other = nullptr;           // kNotAsked, kReplaced, kNotCharged
  // kNoMatch, kNoPlan, kBadCost: the value of the attribute in question; none if it is missing.
  std::optional<std::string_view> value;
  // kNoMatch: the strict form of a path, if it differs.
  std::optional<std::string_view> strict_value;
  std::vector<ExplainedKeyPart> key;  // kApplies; empty if there is one key for all requests
};

// How the `descriptors` match the attributes, in their order.
enum class DescriptorFate : std::uint8_t {
  kApplies,    // the limit of `node` is charged
  kUnlimited,  // the limit of `node` is unlimited
  kNoLimit,    // the attributes end at `node`, which has no limit
  kNoKey,      // nothing below `node` has the key of the next attribute
  kNoValue,    // entries with that key exist below `node`, but with other values
  kNotAsked,   // the rules have decided, or a cost is invalid
  kNothing,    // there are no descriptors, or no attributes
};

struct DescriptorExplanation {
  DescriptorFate outcome = DescriptorFate::kNothing;
  std::size_t depth = 0;                 // number of attributes that matched an entry
  const DescriptorNode* node = nullptr;  // the last such entry; null at depth 0
  std::vector<ExplainedKeyPart> key;     // kApplies
};

// Points into the domain, and refers to the attributes it was made from.
//
// Invariant: the rules and the descriptor that apply are the ones that Domain::MatchRules and
// MatchDescriptor charge when GateSession calls them.
struct Explanation {
  std::vector<RuleExplanation> rules;  // all rules of the domain, in file order
  DescriptorExplanation descriptor;
};

Explanation Explain(const Domain& domain, const MatchedAttributes& matched);
inline Explanation Explain(const Domain& domain, std::span<const Attribute> attributes) {
  return Explain(domain, MatchedAttributes{.attributes = attributes});
}

}  // namespace sluice
