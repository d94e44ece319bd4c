#include "core/algorithm/token_bucket.h"

namespace sluice {

using token_bucket::RoomOf;

Decision TakeDebt(const TokenBucket& limit, FineTime& tat, Cost cost, Time now) {
  const auto [held, depth] = token_bucket::ReachAt(limit, tat, now);
  const Uint128 after = AfterDebt(RoomOf(limit), held, cost);
  if (cost.units > 0) tat = AfterTicks(limit.interval, now, after);
  return token_bucket::Report(limit, after, depth);
}

void Refund(const TokenBucket& limit, FineTime& tat, Cost cost, Time now) {
  const Uint128 held = TicksAhead(limit.interval, tat, now);
  const Uint128 back = TicksOf(limit.interval, cost.units);
  tat = AfterTicks(limit.interval, now, held > back ? held - back : 0);
}

void Convert(const TokenBucket& from, const TokenBucket& to, FineTime& tat, Time now) {
  const Uint128 held = TicksAhead(from.interval, tat, now);
  tat = AfterTicks(to.interval, now, CarryUsed(RoomOf(from), RoomOf(to), held));
}

}  // namespace sluice
