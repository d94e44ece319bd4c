// Token bucket with greedy refill, kept as the time at which the bucket will be full again.
//
// This is the default algorithm. QuickBucket makes the same decisions with precomputed terms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/algorithm/debt.h"
#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The terms of a token bucket: one unit comes back every `interval`, up to `burst` units.
//
// Holds no state and reads no clock. The caller keeps the State and passes the time, so the same
// inputs always give the same answer. Thread safety: a value.
//
// Rounding: the state is exact to the tick of the interval. Reported times round up to the next
// nanosecond, units round down.
//
// Invariants
//   (1) burst >= 1 and burst * T + max_wait <= kLongestSpan.
//   (2) tat <= now + burst * T + max_wait after every check that passed. A debt may push it up to
//       FurthestAhead.
//   (3) A refused check, a peek and a cost of 0 do not change the state.
//   (4) A refused request passes exactly at retry_after and not a nanosecond earlier.
//   (5) `tat <= now` and "never used" are the same state.
struct TokenBucket {
  // tat: the time at which the bucket will be full again. It is in the past for an unused key.
  using State = FineTime;

  Interval interval;
  std::int64_t burst = 1;
  Nanos max_wait{0};

  friend bool operator==(const TokenBucket&, const TokenBucket&) = default;
};

namespace token_bucket {

// The ticks that are used, and the ticks of a whole bucket.
struct Reach {
  Uint128 held;   // ticks until full, before the request
  Uint128 depth;  // burst * T in ticks
};

constexpr Reach ReachAt(const TokenBucket& limit, const FineTime& tat, Time now) {
  return {TicksAhead(limit.interval, tat, now), TicksOf(limit.interval, limit.burst)};
}

constexpr Room RoomOf(const TokenBucket& limit) {
  const Uint128 burst = TicksOf(limit.interval, limit.burst);
  return {limit.interval, burst, burst + TicksOf(limit.interval, limit.max_wait)};
}

constexpr Decision Report(const TokenBucket& limit, Uint128 held, Uint128 depth) {
  Decision decision;
  decision.limit = limit.burst;
  decision.remaining =
      held >= depth
          ? 0
          : static_cast<std::int64_t>(DivFloor(depth - held, limit.interval.ticks_per_unit));
  decision.reset_after = RoundUp(limit.interval, held);
  return decision;
}

// Returns the ticks for which the request would have to wait. It is refused if they exceed
// max_wait.
constexpr Uint128 TicksToWait(Uint128 after, Uint128 depth) {
  return after > depth ? after - depth : 0;
}

constexpr void Refuse(const TokenBucket& limit, Uint128 over, Decision& decision) {
  decision.allowed = false;
  decision.retry_after = RoundUp(limit.interval, over);
}

}  // namespace token_bucket

// Returns what a check of `cost` would return, without taking anything. remaining and reset_after
// are those of the unchanged state. A cost of 0 reports the state.
constexpr Decision Peek(const TokenBucket& limit, const FineTime& tat, Cost cost, Time now) {
  const auto [held, depth] = token_bucket::ReachAt(limit, tat, now);
  Decision decision = token_bucket::Report(limit, held, depth);
  if (cost.units == 0) return decision;
  if (cost.units > limit.burst) {
    decision.allowed = false;
    decision.retry_after = kNever;
    return decision;
  }
  const Uint128 wait = token_bucket::TicksToWait(held + TicksOf(limit.interval, cost.units), depth);
  const Uint128 wait_max = TicksOf(limit.interval, limit.max_wait);
  if (wait > wait_max) {
    token_bucket::Refuse(limit, wait - wait_max, decision);
  } else {
    decision.wait = RoundUp(limit.interval, wait);
  }
  return decision;
}

// Takes `cost` if it passes.
constexpr Decision Check(const TokenBucket& limit, FineTime& tat, Cost cost, Time now) {
  const Decision answer = Peek(limit, tat, cost, now);
  if (!answer.allowed || cost.units == 0) return answer;
  const auto [held, depth] = token_bucket::ReachAt(limit, tat, now);
  const Uint128 after = held + TicksOf(limit.interval, cost.units);
  tat = AfterTicks(limit.interval, now, after);
  Decision decision = token_bucket::Report(limit, after, depth);
  decision.wait = answer.wait;
  return decision;
}

// Takes `cost` unconditionally, even below zero (see debt.h).
Decision TakeDebt(const TokenBucket& limit, FineTime& tat, Cost cost, Time now);

// Gives back at most what is still held.
void Refund(const TokenBucket& limit, FineTime& tat, Cost cost, Time now);

// Converts the state to new terms. Used units carry over as CarryUsed (debt.h) describes.
void Convert(const TokenBucket& from, const TokenBucket& to, FineTime& tat, Time now);

// Returns the time from which the key is as if never used.
constexpr Time UnusedAt(const TokenBucket& /*limit*/, const FineTime& tat) { return RoundUp(tat); }

}  // namespace sluice
