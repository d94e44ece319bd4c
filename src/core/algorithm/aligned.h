// Aligned periods: windows and refills that start at multiples of a period since 1970.
#pragma once

#include <cstdint>

#include "sluice/time.h"

namespace sluice {

// Returns the number of whole periods between 1970 and `now`, rounded down. REQUIRES: period > 0.
[[nodiscard]] constexpr std::int64_t PeriodsSince1970(Time now, Nanos period) {
  const std::int64_t since = now.time_since_epoch().count();
  const std::int64_t whole = since / period.count();
  return whole - static_cast<std::int64_t>(since % period.count() < 0);
}

// Returns the last multiple of `period` at or before `now`. REQUIRES: period > 0.
[[nodiscard]] constexpr Time AlignedStart(Time now, Nanos period) {
  return Time{PeriodsSince1970(now, period) * period};
}

// Returns the first multiple of `period` after `now`. REQUIRES: period > 0.
[[nodiscard]] constexpr Time AlignedEnd(Time now, Nanos period) {
  return AlignedStart(now, period) + period;
}

}  // namespace sluice
