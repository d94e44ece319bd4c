// DiffRules: what changes from one rule set to another.
#pragma once

#include <vector>

#include "rules/rule_change.h"
#include "rules/rule_spec.h"

namespace sluice {

// Every change that makes a difference to requests or to what answers say, by domain; of a domain
// its attributes, lists, plans and ip_prefix come first, then rules and descriptors, what is gone
// before what is there. Spelling, places and the order of values and of rules that only limit make
// none. REQUIRES: CheckRules found no error in either.
std::vector<RuleChange> DiffRules(const RuleSetSpec& before, const RuleSetSpec& after);

}  // namespace sluice
