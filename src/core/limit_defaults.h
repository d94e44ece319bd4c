// What a limit takes for the keys that are not written.
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

// The spec with every key of its algorithm and variant written that has a value: MakeLimit makes
// the same terms of it, but for the rounding of a pacer's burst. A leaky_bucket without a max_wait
// has none, and a pacer's burst stays out where it cannot be written in decimals.
// REQUIRES: MakeLimit accepts the spec.
LimitSpec WithDefaults(const LimitSpec& spec);

}  // namespace sluice
