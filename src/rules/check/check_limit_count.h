// CheckLimitCount: checks that rules do not define more limits than a store can keep, or than one
// request can be charged for.
#pragma once

#include <cstddef>

#include "base/config_problem.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Bounds for all domains together. The limits of plans exist once per rule that chooses a plan, and
// the name of a descriptor's limit contains all keys and values above it. Without these bounds some
// kilobytes of rules could define millions of limits, and megabytes of rules gigabytes of names.
inline constexpr std::size_t kMaxRuleLimits = 65'000;  // slightly below the maximum of a store
inline constexpr std::size_t kMaxRuleLimitNameBytes = std::size_t{64} << 20U;

// The maximum number of limits per request, which is the maximum a store charges all or none of.
inline constexpr std::size_t kMaxRequestLimits = 64;

// Reports the first rule or descriptor that exceeds a bound: a bound of the store, or the number of
// limits per request. For the latter, counts the rules without a `match` in each domain, because
// they all apply to a request that has all attributes.
void CheckLimitCount(const RuleSetSpec& spec, ConfigProblems& problems);

}  // namespace sluice
