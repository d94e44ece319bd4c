// CheckLists: lists whose values are not what they are used for.
#pragma once

#include <cstddef>

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// A list that a rule looks for `ip` in must hold addresses and prefixes only: each value that is
// none is reported where it stands, with the first rule that uses the list. Any other list must
// hold addresses only or none.
void CheckLists(const DomainSpec& domain, ConfigProblems& problems);

// Returns where the value of that number stands.
Origin OriginOf(const ListSpec& list, std::size_t value);

}  // namespace sluice
