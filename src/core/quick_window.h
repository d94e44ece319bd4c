// QuickWindow: a sliding window with all that a check needs worked out, in 64-bit integers.
//
// This is a hot path of the memory store, so everything is inline.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/reciprocal.h"
#include "core/sliding_window.h"

namespace sluice {

// The terms of a sliding window. Its answers are those of SlidingWindow, without a division.
// Thread safety: a value.
//
// Invariant: count * period < 2^61, so that two counters and a cost together stay below 2^63.
struct QuickWindow {
  Rate rate;
  std::uint64_t most;  // count * period
  Reciprocal periods;  // of the period

  // None if the terms are too large.
  static std::optional<QuickWindow> For(const SlidingWindow& limit) {
    const auto period = static_cast<std::uint64_t>(limit.rate.period.count());
    const Uint128 most = static_cast<Uint128>(limit.rate.count) * period;
    if (most >> 61U != 0) return std::nullopt;
    return QuickWindow{limit.rate, static_cast<std::uint64_t>(most), Reciprocal{period}};
  }
};

// The last multiple of the period at or before `time`. REQUIRES: time is not before 1970.
inline Time AlignedStart(const QuickWindow& limit, Time time) {
  const auto since = static_cast<std::uint64_t>(time.time_since_epoch().count());
  return Time{static_cast<std::int64_t>(limit.periods.Floor(since)) * limit.rate.period};
}

// Takes `cost` if it passes, as Check of the sliding window does. `decision` is a fresh one.
// False: it does not pass, or it is a state ahead of `now` or one that these terms cannot have
// written (of a file, see store/plausible.h); nothing was done, and the general Check has to.
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
  if (after > limit.most) return false;
  state = next;
  decision.limit = limit.rate.count;
  decision.remaining = static_cast<std::int64_t>(limit.periods.Floor(limit.most - after));
  decision.reset_after = next.end + period - now;
  return true;
}

}  // namespace sluice
