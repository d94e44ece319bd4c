// What changes of one rule.
#pragma once

#include <vector>

#include "rules/diff_limits.h"
#include "rules/rule_change.h"
#include "rules/rule_spec.h"

namespace sluice {

// Whether the attribute holds an address, as the keys of a domain see it: `ip`, or taken from it.
bool IsAddress(const DomainSpec& domain, std::string_view attribute);

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

// Adds what changes from one to the other.
void DiffRule(const RulePair& rules, SubjectChanges& changes);

}  // namespace sluice
