// Time in this project: integer nanoseconds.
//
// A length of time is `Nanos`, a point in time is `Time` (nanoseconds since 1970, UTC, no leap
// seconds). Both are std::chrono types, so `5ms` and `Nanos(5'000'000)` are the same thing and a
// length cannot be passed where a point is expected.
#pragma once

#include <chrono>
#include <cstdint>

namespace sluice {

using Nanos = std::chrono::nanoseconds;
using Time = std::chrono::sys_time<Nanos>;

// The longest duration a limit may span (a period, burst times interval, a wait): 100 years of 365
// days.
inline constexpr Nanos kLongestSpan{std::int64_t{100} * 365 * 86400 * 1'000'000'000};

// The latest point in time that is accepted (in the year 2160). No state is more than kLongestSpan
// later, so sums of the two never overflow 64 bits.
inline constexpr Time kLatestTime{Nanos{6'000'000'000'000'000'000}};

}  // namespace sluice
