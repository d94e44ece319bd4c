// Interval: the time T in which one unit comes back, kept as an exact fraction.
#pragma once

#include <cstdint>

#include "base/int128.h"
#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice {

// T = ticks_per_unit / ticks_per_ns nanoseconds. A tick is the finest time this limit can
// distinguish, 1/ticks_per_ns of a nanosecond.
//
// Invariants
//   (1) 1 <= ticks_per_ns <= 2^62, ticks_per_unit >= 1.
//   (2) T is exactly PERIOD/COUNT while that fraction's reduced denominator is at most 256.
//   (3) Otherwise T is PERIOD/COUNT rounded up to a multiple of 2^-k ns, where k is the smallest
//       number from 8 on with T * 2^k > 100,000. So a limit is never faster than configured, and at
//       most 1 in 100,000 slower.
struct Interval {
  std::uint64_t ticks_per_unit = 1;
  std::uint64_t ticks_per_ns = 1;

  // Returns whether a fraction of a nanosecond fits the 8 bits of a narrow slot (memory store).
  [[nodiscard]] bool FractionFitsByte() const { return ticks_per_ns <= 256; }

  friend bool operator==(const Interval&, const Interval&) = default;
};

// Returns the interval of a rate.
// REQUIRES: rate.count > 0, rate.period > 0, and fewer than 2^45 units per nanosecond (see
// RateIsRepresentable).
Interval MakeInterval(Rate rate);

// Returns whether MakeInterval may be called with the rate.
bool RateIsRepresentable(Rate rate);

// A point in time with the precision of a tick: `whole` nanoseconds plus `fraction` ticks.
//
// Invariant: fraction < ticks_per_ns of the interval it was made with.
struct FineTime {
  Time whole{};
  std::uint64_t fraction = 0;

  friend bool operator==(const FineTime&, const FineTime&) = default;
};

// Returns the ticks from `now` to `then`, or 0 if `then` has passed.
constexpr Uint128 TicksAhead(const Interval& interval, FineTime then, Time now) {
  if (then.whole < now) return 0;
  const auto whole = static_cast<std::uint64_t>((then.whole - now).count());
  return static_cast<Uint128>(whole) * interval.ticks_per_ns + then.fraction;
}

// Returns now + ticks.
constexpr FineTime AfterTicks(const Interval& interval, Time now, Uint128 ticks) {
  if (interval.ticks_per_ns == 1) return {now + Nanos{ToInt64Saturated(ticks)}, 0};
  const Uint128 whole = DivFloor(ticks, interval.ticks_per_ns);
  const auto fraction = static_cast<std::uint64_t>(ticks - whole * interval.ticks_per_ns);
  return {now + Nanos{ToInt64Saturated(whole)}, fraction};
}

// Returns the ticks as a duration, rounded up to the next nanosecond.
constexpr Nanos RoundUp(const Interval& interval, Uint128 ticks) {
  if (interval.ticks_per_ns == 1) return Nanos{ToInt64Saturated(ticks)};
  return Nanos{ToInt64Saturated(DivCeil(ticks, interval.ticks_per_ns))};
}

// Returns the first whole nanosecond at or after `then`.
constexpr Time RoundUp(FineTime then) {
  return then.fraction == 0 ? then.whole : then.whole + Nanos{1};
}

// Returns the ticks in which `units` units come back.
constexpr Uint128 TicksOf(const Interval& interval, std::int64_t units) {
  return static_cast<Uint128>(static_cast<std::uint64_t>(units)) * interval.ticks_per_unit;
}

// Returns a duration in ticks. REQUIRES: length >= 0.
constexpr Uint128 TicksOf(const Interval& interval, Nanos length) {
  return static_cast<Uint128>(static_cast<std::uint64_t>(length.count())) * interval.ticks_per_ns;
}

}  // namespace sluice
