// Token bucket with interval refill: COUNT tokens come back at once every period.
#pragma once

#include <cstdint>

#include "core/limit/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// The terms of an interval bucket. Thread safety: a value.
//
// Refills happen at multiples of the period, counted from the charge that found the key unused (a
// full bucket has no phase), or since 1970 if `phase` is kAligned.
//
// Invariants
//   (1) rate.count >= 1, burst >= 1, and the time in which burst tokens come back plus max_wait is
//       at most kLongestSpan. burst plus the tokens that come back within max_wait fits 63 bits.
//   (2) After a check that passed, used <= burst + the tokens that come back within max_wait. A
//       debt may bring it up to all tokens that come back within kDebtSpan, or within the time of
//       (1) if that is longer, as far as they fit 63 bits.
//   (3) used == 0 and "never used" are the same state.
//   (4) A refused check, a peek and a cost of 0 do not change the state.
struct IntervalBucket {
  struct State {
    Time full_at{};         // the refill that makes the bucket full again
    std::int64_t used = 0;  // missing tokens at the last change; may exceed burst

    friend bool operator==(const State&, const State&) = default;
  };

  Rate rate;
  std::int64_t burst = 1;
  Nanos max_wait{0};
  RefillPhase phase = RefillPhase::kFromFirstCharge;

  friend bool operator==(const IntervalBucket&, const IntervalBucket&) = default;
};

Decision Peek(const IntervalBucket& limit, const IntervalBucket::State& state, Cost cost, Time now);
Decision Check(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now);
// Takes `cost` unconditionally, even below zero (see debt.h).
Decision TakeDebt(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now);
void Refund(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now);

// Used tokens carry over. Tokens within the burst are cut to what checks can take under the new
// terms; tokens beyond it carry over in full. If the period changes, the first refill comes one
// whole new period after `now`, or at the next multiple if aligned.
void Convert(const IntervalBucket& from, const IntervalBucket& to, IntervalBucket::State& state,
             Time now);

// The missing tokens at one point in time.
struct TokensUsed {
  std::int64_t within = 0;  // missing tokens within the burst
  std::int64_t beyond = 0;  // missing tokens beyond it: booked ahead, or a debt
};
TokensUsed UsedAt(const IntervalBucket& limit, const IntervalBucket::State& state, Time now);

Time UnusedAt(const IntervalBucket& limit, const IntervalBucket::State& state);

}  // namespace sluice
