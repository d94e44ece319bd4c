// ReadLimits: reads the limits of a rule or a plan.
//
//   limit: [150/m, 1000/d, { name: spike, rate: 10/s, burst: 20 }]
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// The maximum number of limits per rule or plan.
inline constexpr std::size_t kMaxLimits = 32;

// Returns the name of a limit that is written without one: its PERIOD in the shortest form ("10s";
// "m" for both 60s and 1m; "month" and "year" for 30 and 365 days), or "concurrency".
std::string NameOf(const LimitSpec& spec);

// Reads one limit or a list of limits with different names. Skips and reports invalid ones.
std::vector<NamedLimit> ReadLimits(const Value& value, ConfigReader& reading);

// Returns the written keys of a limit: the keys of a mapping, or `rate` if the limit is a string.
WrittenKeys LimitKeysOf(const Value& value, const ConfigReader& reading);

// Returns the mapping without the entries under `keys`; returns any other value unchanged.
Value WithoutKeys(const Value& value, std::span<const std::string_view> keys);

}  // namespace sluice
