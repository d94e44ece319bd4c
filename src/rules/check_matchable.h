// CheckMatchable: values that no request has.
#pragma once

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Warns of values to match that a front end never gives to `method`, `path` or `host`, or to an
// alias of one of them, whether they stand in the rule or in a list: `method: post` (methods are in
// upper case), `method: "POST,GET"` (one value), `method: POTS` (unknown), `path: posts` (a path
// begins with a slash), `path: "^/v1"` (no regex), `path: "/users/{id}"` and `/users/:id` (there
// are no parameters, `*` matches anything), `path: "/search?q=*"` (the query is cut off), `host:
// Example.com:8080`.
void CheckMatchable(const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
