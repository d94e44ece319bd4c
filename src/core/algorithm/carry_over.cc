#include "core/algorithm/carry_over.h"

#include <algorithm>

#include "core/algorithm/debt.h"

namespace sluice {
namespace {

// Returns the maximum number of tokens that checks can take from a bucket with these terms.
Uint128 MaxUsed(const IntervalBucket& limit) {
  const auto refills = static_cast<Uint128>(limit.max_wait / limit.rate.period);
  return static_cast<Uint128>(limit.burst) + refills * static_cast<Uint128>(limit.rate.count);
}

}  // namespace

IntervalBucket::State CarryOver(const TokenBucket& from, const FineTime& tat,
                                const IntervalBucket& to, Time now) {
  const Uint128 held = TicksAhead(from.interval, tat, now);
  const Uint128 used = DivCeil(held, from.interval.ticks_per_unit);
  const Uint128 within = std::min(used, static_cast<Uint128>(from.burst));
  const Uint128 carried = std::min(within, MaxUsed(to)) + used - within;
  IntervalBucket::State state;
  TakeDebt(to, state, Cost{ToInt64Saturated(carried)}, now);
  return state;
}

FineTime CarryOver(const IntervalBucket& from, const IntervalBucket::State& state,
                   const TokenBucket& to, Time now) {
  const auto [within, beyond] = UsedAt(from, state, now);
  const Room room = token_bucket::RoomOf(to);
  const Uint128 held =
      std::min(TicksOf(to.interval, within), room.max) + TicksOf(to.interval, beyond);
  return AfterTicks(to.interval, now, std::min(held, FurthestAhead(room)));
}

WarmUpPacer::State CarryOver(const Pacer& from, const FineTime& tat, const WarmUpPacer& to,
                             Time now) {
  const Uint128 held = TicksAhead(from.interval, tat, now);
  if (held == 0) return {};
  const Uint128 booked = held > from.burst_ticks ? held - from.burst_ticks : 0;
  const Time next = now + std::min(RoundUp(from.interval, booked), kLongestSpan);
  // Empty storage is full again after warm_up.
  return {std::min(next, kLatestTime + kLongestSpan - to.warm_up) + to.warm_up, next, 0.0};
}

FineTime CarryOver(const WarmUpPacer& /*from*/, const WarmUpPacer::State& state, const Pacer& to,
                   Time now) {
  if (state.unused_at <= now) return {};
  const Nanos booked = std::max(state.next - now, Nanos{0});
  const Uint128 ahead = to.burst_ticks + TicksOf(to.interval, booked);
  return AfterTicks(to.interval, now, std::min(ahead, TicksOf(to.interval, kLongestSpan)));
}

}  // namespace sluice
