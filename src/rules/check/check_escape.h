// Finds requests that no rule of a domain limits, because they leave out what the rules need.
#pragma once

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Warns about the first enforced limit rule that a client can escape by leaving something out:
//   - a part of the rule's key: a header, a query parameter, a cookie, or an attribute that forward
//     auth does not provide;
//   - a header, parameter or cookie that `match` needs, or that chooses a plan without a default.
// Does not warn if another limit rule or a deny rule certainly applies to all such requests.
void CheckEscape(const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
