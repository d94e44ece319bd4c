// CheckRules: finds mistakes in rules whose documents are all well formed.
#pragma once

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Adds to the problems that reading the rules has found, if any. Parts that could not be read cause
// no further errors here.
//   Errors: a plan, list or replaced rule that does not exist; a list for `ip` with other values; a
//   regex that does not compile; too many regexes or limits; `debt` with a concurrency limit; rules
//   that replace themselves or one another; aliases in a cycle; and rules that an allow or deny
//   rule makes unreachable.
//   Warnings: a leaky_bucket without a queue; a concurrency limit; a rule that is always replaced,
//   or that replaces an allow or deny rule; keys that let a client escape every rule; attributes
//   that are probably misspelled (check_attributes.h); and values that no request has
//   (check_matchable.h).
void CheckRules(const RuleSetSpec& spec, ConfigProblems& problems);

}  // namespace sluice
