// Requests that no rule of a domain limits, because they leave out what rules need.
#pragma once

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Warns of the first enforced limit rule that a client escapes by leaving something out: what a key
// is made of, be it a header, a query parameter, a cookie, or an attribute that forward auth does
// not fill in; a header, parameter or cookie that `match` needs or that names a plan where there is
// no default. No warning is given where another limit or a deny rule surely meets all such
// requests.
void CheckEscape(const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
