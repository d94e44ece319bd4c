// Rules that can never do anything, because another one always comes before them.
#pragma once

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Reports rules whose match equals or narrows that of an allow or deny rule that is read before
// them. Those two are read first, in the order of the files, so for a limit rule any of them is. A
// faulty rule is left out: what it was meant to match is not known.
void CheckReach(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems);

// Warns of limit rules that another one replaces wherever they would apply.
void CheckReplaced(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
