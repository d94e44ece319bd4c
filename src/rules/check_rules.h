// CheckRules: what can be wrong with rules though every document of them is well formed.
#pragma once

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Adds to the problems that reading the rules found, if any. What could not be read leads to no
// other errors here.
//   Errors: a plan, list or replaced rule that does not exist, a list of other values for `ip`, a
//   regex that does not compile, more regexes or limits than can be used, a `debt` of permits,
//   rules that replace themselves or one another, aliases in a circle, and rules that an allow or
//   deny makes unreachable.
//   Warnings: a leaky_bucket without a queue, a rule that is always replaced or replaces what
//   cannot be, keys by which a client escapes every rule, attributes that are probably misspelled
//   (check_attributes.h), and values that no request has (check_matchable.h).
void CheckRules(const RuleSetSpec& spec, ConfigProblems& problems);

}  // namespace sluice
