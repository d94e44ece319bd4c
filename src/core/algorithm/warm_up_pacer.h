// Warm-up pacer: a pacer that is slow after idle time and speeds up to its rate with use.
#pragma once

#include "sluice/decision.h"

namespace sluice {

// The terms of a pacer that starts cold and warms up. Thread safety: a value.
//
// This is Guava's warming-up limiter: the cost of stored units is the integral under a trapezoid
// that falls from cold_factor * T to T. It is the only algorithm with floating point on the
// decision path. `next` is rounded up to whole nanoseconds.
//
// Invariants
//   (1) stable_ns > 0, warm_up > 0, cold_factor >= 1.
//   (2) A request that would move `next` by more than kLongestSpan is refused with kNever. One that
//       would push it beyond now + kLongestSpan is refused until it no longer would.
//   (3) From unused_at on, the key is treated as never used, whatever rounding left in `stored`.
//   (4) limit and remaining are kNoUnits; refunds change nothing.
//   (5) A refused check, a peek and a cost of 0 do not change the state.
//   (6) A debt moves `next` by its cost regardless of max_wait, at most to now + kLongestSpan.
struct WarmUpPacer {
  struct State {
    Time unused_at{};
    Time next{};
    double stored = 0;  // units; meaningful only before unused_at

    friend bool operator==(const State&, const State&) = default;
  };

  double stable_ns = 1;  // T in nanoseconds
  Nanos warm_up{0};
  double cold_factor = 3;
  Nanos max_wait{0};

  friend bool operator==(const WarmUpPacer&, const WarmUpPacer&) = default;
};

Decision Peek(const WarmUpPacer& limit, const WarmUpPacer::State& state, Cost cost, Time now);
Decision Check(const WarmUpPacer& limit, WarmUpPacer::State& state, Cost cost, Time now);

// Takes `cost` unconditionally (see debt.h).
Decision TakeDebt(const WarmUpPacer& limit, WarmUpPacer::State& state, Cost cost, Time now);

// `next` stays. Stored units are scaled to the new maximum. An unused key stays unused.
void Convert(const WarmUpPacer& from, const WarmUpPacer& to, WarmUpPacer::State& state, Time now);

Time UnusedAt(const WarmUpPacer& limit, const WarmUpPacer::State& state);

}  // namespace sluice
