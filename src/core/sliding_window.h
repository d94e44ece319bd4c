// Sliding window: two counters, the previous window weighted by how much of it is still in view.
#pragma once

#include <cstdint>

#include "core/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a sliding window. Thread safety: a value.
//
// Passes if previous * (PERIOD - e) / PERIOD + current + cost <= COUNT, e = now mod PERIOD, in
// 128-bit integers without a division.
//
// Invariants
//   (1) rate.count >= 1; 0 <= previous, current <= rate.count; 2 * rate.period <= kLongestSpan.
//   (2) previous == current == 0 and "never used" are the same state.
//   (3) A refused check, a peek and a cost of 0 leave the state as it was.
//   (4) A debt fills the current counter, up to rate.count, whatever the previous one weighs.
struct SlidingWindow {
  struct State {
    Time end{};                 // of the window `current` belongs to
    std::int64_t previous = 0;  // units charged in the window before
    std::int64_t current = 0;   // units charged in the window that ends at `end`

    friend bool operator==(const State&, const State&) = default;
  };

  Rate rate;

  friend bool operator==(const SlidingWindow&, const SlidingWindow&) = default;
};

Decision Peek(const SlidingWindow& limit, const SlidingWindow::State& state, Cost cost, Time now);
Decision Check(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// Takes `cost` in any case (see debt.h).
Decision TakeDebt(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// Takes back from the current counter, then from the previous.
void Refund(const SlidingWindow& limit, SlidingWindow::State& state, Cost cost, Time now);

// The same period keeps both counters, at most the new COUNT each. Another period moves the
// weighted sum, rounded up, into the current window of the new terms.
void Convert(const SlidingWindow& from, const SlidingWindow& to, SlidingWindow::State& state,
             Time now);

Time UnusedAt(const SlidingWindow& limit, const SlidingWindow::State& state);

}  // namespace sluice
