// Requests that no rule of a domain limits, because they leave out what the keys are made of.
#pragma once

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Warns where every enforced limit rule has a key that a client can leave out: made of a header, a
// query parameter, a cookie, or an attribute that forward auth does not fill in. A deny rule for
// requests without it is an answer to that, and no warning is given.
void CheckEscape(const DomainSpec& domain, ConfigProblems& problems);

}  // namespace sluice
