// DiffRules: the changes from one rule set to another.
#pragma once

#include <vector>

#include "rules/diff/rule_change.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Returns every change that affects requests or replies, by domain. Within a domain, attributes,
// lists, plans and ip_prefix come first, then rules and descriptors; removed items come before the
// others. Differences in spelling, in places within files, in the order of values and in the order
// of limit rules are not changes. REQUIRES: CheckRules found no error in either rule set.
std::vector<RuleChange> DiffRules(const RuleSetSpec& before, const RuleSetSpec& after);

}  // namespace sluice
