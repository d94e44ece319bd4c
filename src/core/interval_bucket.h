// Token bucket with interval refill: COUNT tokens come back all at once, every period.
#pragma once

#include <cstdint>

#include "core/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"

namespace sluice {

// The terms of an interval bucket. Thread safety: a value.
//
// Refills happen at multiples of the period, counted from the charge that found the key unused
// (a full bucket has no phase), or since 1970 when `phase` is kAligned.
//
// Invariants
//   (1) rate.count >= 1, burst >= 1, and the time to win back burst tokens plus max_wait is at
//       most kLongestSpan; burst and the tokens that come back within max_wait fit 63 bits.
//   (2) used <= burst + the tokens that come back within max_wait, after a check that passed. Debts
//       may be more: all that come back within kDebtSpan, or within the time of (1) where that is
//       longer, as far as they fit 63 bits.
//   (3) used == 0 and "never used" are the same state.
//   (4) A refused check, a peek and a cost of 0 leave the state as it was.
struct IntervalBucket {
  struct State {
    Time full_at{};         // the refill that will fill the bucket again
    std::int64_t used = 0;  // tokens missing, as of the last change; may be above burst

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
// Takes `cost` in any case, below zero if need be (see debt.h).
Decision TakeDebt(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now);
void Refund(const IntervalBucket& limit, IntervalBucket::State& state, Cost cost, Time now);

// Used tokens carry over: of those within the burst at most as many as the new terms can hold,
// those beyond it whole. Where the period changes, the first refill comes a whole new period
// after `now` (or at the next multiple when aligned).
void Convert(const IntervalBucket& from, const IntervalBucket& to, IntervalBucket::State& state,
             Time now);

// Tokens missing at one time.
struct TokensUsed {
  std::int64_t within = 0;  // the burst
  std::int64_t beyond = 0;  // it: booked ahead, or a debt
};
TokensUsed UsedAt(const IntervalBucket& limit, const IntervalBucket::State& state, Time now);

Time UnusedAt(const IntervalBucket& limit, const IntervalBucket::State& state);

}  // namespace sluice
