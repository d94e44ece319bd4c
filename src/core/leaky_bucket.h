// Leaky bucket as a queue: one unit goes every T, `burst` units may wait.
#pragma once

#include <cstdint>

#include "core/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a leaky bucket. Thread safety: a value.
//
// With w = max(0, next - now): passes if w + (cost - 1) * T <= burst * T and the wait,
// max(0, w - delay_after * T), is at most max_wait; then next = now + w + cost * T.
//
// Invariants
//   (1) burst >= 0, burst + 1 fits 63 bits, delay_after >= 0 and (burst + 1) * T <= kLongestSpan.
//   (2) limit is burst + 1; remaining counts the units that may queue.
//   (3) next <= now + (burst + 1) * T after every check that passed; a debt may push it further, up
//       to FurthestAhead (debt.h).
//   (4) `next <= now` and "never used" are the same state.
//   (5) A refused check, a peek and a cost of 0 leave the state as it was.
struct LeakyBucket {
  // next: when the next turn is free. In the past for an unused key.
  using State = FineTime;

  Interval interval;
  std::int64_t burst = 0;
  std::int64_t delay_after = 0;
  Nanos max_wait = kLongestSpan;  // kLongestSpan: none

  friend bool operator==(const LeakyBucket&, const LeakyBucket&) = default;
};

Decision Peek(const LeakyBucket& limit, const FineTime& next, Cost cost, Time now);
Decision Check(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);
Decision TakeDebt(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);
void Refund(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);

// Used units carry over, as CarryUsed (debt.h) says.
void Convert(const LeakyBucket& from, const LeakyBucket& to, FineTime& next, Time now);

Time UnusedAt(const LeakyBucket& limit, const FineTime& next);

}  // namespace sluice
