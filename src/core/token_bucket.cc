#include "core/token_bucket.h"

namespace sluice {

void Refund(const TokenBucket& limit, FineTime& tat, Cost cost, Time now) {
  const Uint128 held = TicksAhead(limit.interval, tat, now);
  const Uint128 back = TicksOf(limit.interval, cost.units);
  tat = AfterTicks(limit.interval, now, held > back ? held - back : 0);
}

void Convert(const TokenBucket& from, const TokenBucket& to, FineTime& tat, Time now) {
  const Uint128 held = TicksAhead(from.interval, tat, now);
  const Uint128 carried =
      MulDivCeil(held, to.interval.ticks_per_unit, from.interval.ticks_per_unit);
  const Uint128 most = TicksOf(to.interval, to.burst) + TicksOf(to.interval, to.max_wait);
  tat = AfterTicks(to.interval, now, std::min(carried, most));
}

}  // namespace sluice
