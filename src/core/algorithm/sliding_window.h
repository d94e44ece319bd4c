// Sliding window: two counters; the previous window is weighted by the part of it still in view.
#pragma once

#include <cstdint>

#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a sliding window. Thread safety: a value.
//
// A request passes if previous * (PERIOD - e) / PERIOD + current + cost <= COUNT, where e = now mod
// PERIOD. Computed in 128-bit integers without a division.
//
// Invariants
//   (1) rate.count >= 1; 0 <= previous, current <= rate.count; 2 * rate.period <= kLongestSpan.
//   (2) previous == current == 0 and "never used" are the same state.
//   (3) A refused check, a peek and a cost of 0 do not change the state.
//   (4) A debt fills the current counter, up to rate.count, whatever the previous one is.
struct SlidingWindow {
  struct State {
    Time end{};                 // end of the window that `current` belongs to
    std::int64_t previous = 0;  // units charged in the window before
    std::int64_t current = 0;   // units charged in the window that ends at `end`

    friend bool operator==(const State&, const State&) = default;
  };

  Rate rate;

  friend bool operator==(const SlidingWindow&, const SlidingWindow&) = default;
};

Decision Peek(const SlidingWindow& limit, const SlidingWindow::State& state, Cost cost, Time now);
Decision Check(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// Takes `cost` unconditionally (see debt.h).
Decision TakeDebt(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// Gives units back from the current counter, then from the previous one.
void Refund(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// If the period stays, both counters are kept, each at most the new COUNT. Otherwise the weighted
// sum, rounded up, moves into the current window of the new terms.
void Convert(const SlidingWindow& from, const SlidingWindow& to, SlidingWindow::State& state,
             Time now);

Time UnusedAt(const SlidingWindow& limit, const SlidingWindow::State& state);

}  // namespace sluice
