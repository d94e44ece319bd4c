// What changes of one rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/describe_rule.h"
#include "rules/diff_limits.h"
#include "rules/rule_change.h"
#include "rules/rule_spec.h"

namespace sluice {

// Whether the attribute holds an address, as the keys of a domain see it: `ip`, or taken from it.
bool IsAddress(const DomainSpec& domain, std::string_view attribute);

// Whether two values of one key come to the same.
bool MeanTheSame(const DescribedValue& before, const DescribedValue& after);

// Whether the rule charges limits.
bool Limits(const RuleSpec& rule);

// A value of a list or a condition in one spelling, where it is an address or a prefix.
std::string SpellingOf(const std::string& value);

// Whether any part of the rule's key may be made of an address.
bool HasAddressInKey(const DomainSpec& domain, const RuleSpec& rule);

// A rule of both sets, with the domains it is in.
struct RulePair {
  const DomainSpec& old_domain;
  const RuleSpec& before;
  const DomainSpec& new_domain;
  const RuleSpec& after;
};

// What becomes of the keys. A key is made of the values alone, each marked with which of several
// attributes it is and whether it is an address.
KeyChange CompareKeys(const RulePair& rules);

// What becomes of the states of its limits, or of those of its plan, where their terms stay.
StateFate FateOf(const RulePair& rules);

// Adds what changes from one to the other.
void DiffRule(const RulePair& rules, SubjectChanges& changes);

}  // namespace sluice
