// QuickWindow: a sliding window with precomputed terms in 64-bit integers.
//
// This is a hot path of the memory store, so everything is inline.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/reciprocal.h"
#include "core/algorithm/sliding_window.h"

namespace sluice {

// The terms of a sliding window. It decides exactly as SlidingWindow does, without a division.
// Thread safety: a value.
//
// Invariant: count * period < 2^61, so that two counters plus a cost stay below 2^63.
struct QuickWindow {
  Rate rate;
  std::uint64_t max;   // count * period
  Reciprocal periods;  // divides by the period

  // Returns nothing if the terms are too large.
  static std::optional<QuickWindow> For(const SlidingWindow& limit) {
    const auto period = static_cast<std::uint64_t>(limit.rate.period.count());
    const Uint128 max = static_cast<Uint128>(limit.rate.count) * period;
    if (max >> 61U != 0) return std::nullopt;
    return QuickWindow{limit.rate, static_cast<std::uint64_t>(max), Reciprocal{period}};
  }
};

// Returns the last multiple of the period at or before `time`. REQUIRES: time is not before 1970.
inline Time AlignedStart(const QuickWindow& limit, Time time) {
  const auto since = static_cast<std::uint64_t>(time.time_since_epoch().count());
  return Time{static_cast<std::int64_t>(limit.periods.Floor(since)) * limit.rate.period};
}

// Takes `cost` if it passes, as Check of the sliding window does. `decision` must be newly
// constructed.
//
// Returns false without any effect if the cost does not pass, if the state is ahead of `now`, or if
// these terms cannot have written the state (it comes from a file, see store/plausible.h). The
// caller must then use the general Check.
//
// REQUIRES: 1 <= cost.units <= count; now is not before 1970.
inline bool Check(const QuickWindow& limit, SlidingWindow::State& state, Cost cost, Time now,
                  Decision& decision) {
  const Nanos period = limit.rate.period;
  SlidingWindow::State next = state;
  if (now >= state.end) {
    const Time start = AlignedStart(limit, now);
    const bool adjacent = start == state.end;
    next = {start + period, adjacent ? state.current : 0, 0};
  }
  const Nanos in_view = next.end - now;
  if (in_view > period || next.previous > limit.rate.count || next.current > limit.rate.count) {
    return false;
  }
  const auto left = static_cast<std::uint64_t>(in_view.count());
  next.current += cost.units;
  const std::uint64_t after =
      static_cast<std::uint64_t>(next.previous) * left +
      static_cast<std::uint64_t>(next.current) * static_cast<std::uint64_t>(period.count());
  if (after > limit.max) return false;
  state = next;
  decision.limit = limit.rate.count;
  decision.remaining = static_cast<std::int64_t>(limit.periods.Floor(limit.max - after));
  decision.reset_after = next.end + period - now;
  return true;
}

}  // namespace sluice
