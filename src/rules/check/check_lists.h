// CheckLists: finds lists whose values do not suit their use.
#pragma once

#include <cstddef>

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// A list in which a rule looks up `ip` must contain only addresses and prefixes. Every other value
// is reported at its place, with the first rule that uses the list. Any other list must contain
// only addresses and prefixes, or none.
void CheckLists(const DomainSpec& domain, ConfigProblems& problems);

// Returns the place of the value with this index.
Origin OriginOf(const ListSpec& list, std::size_t value);

}  // namespace sluice
