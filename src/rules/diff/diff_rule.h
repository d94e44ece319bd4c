// Compares two versions of one rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/diff/diff_limits.h"
#include "rules/diff/rule_change.h"
#include "rules/model/describe_rule.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Returns whether keys of the domain treat the attribute as an address: it is `ip` or an alias of
// it.
bool IsAddress(const DomainSpec& domain, std::string_view attribute);

// Returns whether two values of the same key have the same meaning.
bool MeanTheSame(const DescribedValue& before, const DescribedValue& after);

// Returns whether the rule charges limits.
bool Limits(const RuleSpec& rule);

// Returns a value of a list or a condition in canonical spelling if it is an address or a prefix;
// otherwise the value itself.
std::string SpellingOf(const std::string& value);

// Returns whether any part of the rule's key may be an address.
bool HasAddressInKey(const DomainSpec& domain, const RuleSpec& rule);

// The two versions of a rule, each with its domain.
struct RulePair {
  const DomainSpec& old_domain;
  const RuleSpec& before;
  const DomainSpec& new_domain;
  const RuleSpec& after;
};

// Compares the keys of both versions. A key consists of values only; each value is marked with the
// position of its attribute among the alternatives, and with whether it is an address.
KeyChange CompareKeys(const RulePair& rules);

// Returns what happens to the states of the rule's limits, or of its plan's limits, if their terms
// stay the same.
StateFate FateOf(const RulePair& rules);

// Adds every change between the two versions.
void DiffRule(const RulePair& rules, SubjectChanges& changes);

}  // namespace sluice
