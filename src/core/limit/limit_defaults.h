// The defaults of the keys of a limit.
#pragma once

#include <chrono>
#include <cstdint>

#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice {

inline constexpr std::int64_t kBucketsUnlessSaid = 60;
inline constexpr Nanos kTtlUnlessSaid = std::chrono::seconds{60};
inline constexpr std::int64_t kColdFactorUnlessSaid = 3;
inline constexpr const char* kZoneUnlessSaid = "UTC";

// Returns the spec with the default of every key of its algorithm and variant filled in. MakeLimit
// makes the same terms of it, except for the rounding of a pacer's burst. Keys without a default
// stay unset: the max_wait of a leaky_bucket, and the burst of a pacer if it cannot be written as a
// decimal number.
// REQUIRES: MakeLimit accepts the spec.
LimitSpec WithDefaults(const LimitSpec& spec);

}  // namespace sluice
