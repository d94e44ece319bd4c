// ReadLimits: the limits of a rule or a plan.
//
//   limit: [150/m, 1000/d, { name: spike, rate: 10/s, burst: 20 }]
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// Of one rule or plan.
inline constexpr std::size_t kLimitsMost = 32;

// What a limit without a name is known by: its PERIOD in the shortest way ("m" for 60s and 1m
// alike, "10s"; 30 and 365 days are "month" and "year"), or "concurrency".
std::string NameOf(const LimitSpec& spec);

// One limit or a list of them, each with a name of its own. What is wrong is left out and
// reported.
std::vector<NamedLimit> ReadLimits(const Value& value, Reading& reading);

// What of a limit is written: the keys of a mapping, or the rate that the string is.
WrittenKeys LimitKeysOf(const Value& value, const Reading& reading);

// The mapping without the entries under `keys`; another value as it is.
Value WithoutKeys(const Value& value, std::span<const std::string_view> keys);

}  // namespace sluice
