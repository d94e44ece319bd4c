// Leaky bucket as a queue: one unit leaves every T, and `burst` units may wait.
#pragma once

#include <cstdint>

#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a leaky bucket. Thread safety: a value.
//
// With w = max(0, next - now), a request passes if w + (cost - 1) * T <= burst * T and its wait,
// max(0, w - delay_after * T), is at most max_wait. Then next becomes now + w + cost * T.
//
// Invariants
//   (1) burst >= 0, burst + 1 fits 63 bits, delay_after >= 0 and (burst + 1) * T <= kLongestSpan.
//   (2) The decision's limit is burst + 1; remaining counts the units that may join the queue.
//   (3) next <= now + (burst + 1) * T after every check that passed. A debt may push it further, up
//       to FurthestAhead (debt.h).
//   (4) `next <= now` and "never used" are the same state.
//   (5) A refused check, a peek and a cost of 0 do not change the state.
struct LeakyBucket {
  // next: the time of the next free turn. It is in the past for an unused key.
  using State = FineTime;

  Interval interval;
  std::int64_t burst = 0;
  std::int64_t delay_after = 0;
  Nanos max_wait = kLongestSpan;  // kLongestSpan means no maximum

  friend bool operator==(const LeakyBucket&, const LeakyBucket&) = default;
};

Decision Peek(const LeakyBucket& limit, const FineTime& next, Cost cost, Time now);
Decision Check(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);
Decision TakeDebt(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);
void Refund(const LeakyBucket& limit, FineTime& next, Cost cost, Time now);

// Used units carry over as CarryUsed (debt.h) describes.
void Convert(const LeakyBucket& from, const LeakyBucket& to, FineTime& next, Time now);

Time UnusedAt(const LeakyBucket& limit, const FineTime& next);

}  // namespace sluice
