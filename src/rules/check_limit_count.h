// CheckLimitCount: whether rules come to more limits than can be kept, or than one request can
// meet.
#pragma once

#include <cstddef>

#include "core/config_problem.h"
#include "rules/rule_spec.h"

namespace sluice {

// Of all domains together. A plan's limits are limits of every rule that chooses a plan, and a
// descriptor's limit is called by all keys and values above it, so without these some kilobytes of
// rules would make millions of limits and megabytes gigabytes of names.
inline constexpr std::size_t kRuleLimitsMost = 65'000;  // a store takes a few more
inline constexpr std::size_t kRuleLimitNameBytesMost = std::size_t{64} << 20U;

// Limits of one request, as many as a store takes all or none of.
inline constexpr std::size_t kRequestLimitsMost = 64;

// Reports the first rule or descriptor that is too much: for the store, or in a domain for any
// request that has all attributes, since it meets every rule without a `match`.
void CheckLimitCount(const RuleSetSpec& spec, ConfigProblems& problems);

}  // namespace sluice
