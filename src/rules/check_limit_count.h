// CheckLimitCount: whether rules come to more limits than can be kept.
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

// Reports the first rule or descriptor that is too much.
void CheckLimitCount(const RuleSetSpec& spec, ConfigProblems& problems);

}  // namespace sluice
