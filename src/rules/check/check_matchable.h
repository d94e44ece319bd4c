// CheckMatchable: finds values that no request has.
#pragma once

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Warns about values to match that a front end never gives to `method`, `path` or `host`, or to an
// alias of one of them, whether they are written in the rule or in a list:
//   - `method: post` (methods are in upper case), `method: "POST,GET"` (that is one value),
//     `method: POTS` (unknown)
//   - `path: posts` (a path begins with a slash), `path: "^/v1"` (not a regex), `path:
//     "/users/{id}"` and `/users/:id` (there are no parameters; `*` matches anything), `path:
//     "/search?q=*"` (a path has no query)
//   - `host: Example.com:8080` (hosts are in lower case and have no port)
void CheckMatchable(const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
