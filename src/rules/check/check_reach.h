// Finds rules that never have an effect, because another rule always comes first.
#pragma once

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Reports rules whose match equals or narrows the match of an earlier allow or deny rule. Allow and
// deny rules are evaluated first, in file order, so for a limit rule every one of them is earlier.
// Skips faulty rules, because their intended match is unknown.
void CheckReach(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems);

// Warns about limit rules that another rule replaces wherever they would apply.
void CheckReplaced(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
