#include "core/algorithm/leaky_bucket.h"

#include <algorithm>

#include "core/algorithm/debt.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

Uint128 Over(Uint128 value, Uint128 max) { return value > max ? value - max : 0; }

Room RoomOf(const LeakyBucket& limit) {
  const Uint128 queue = TicksOf(limit.interval, limit.burst) + limit.interval.ticks_per_unit;
  return {limit.interval, queue, queue};
}

// Returns the ticks a request has to wait if the next turn is `ahead` ticks away.
Uint128 WaitTicks(const LeakyBucket& limit, Uint128 ahead) {
  return Over(ahead, TicksOf(limit.interval, limit.delay_after));
}

// Returns the ticks by which that wait exceeds max_wait.
Uint128 OverMaxWait(const LeakyBucket& limit, Uint128 ahead) {
  return Over(WaitTicks(limit, ahead), TicksOf(limit.interval, limit.max_wait));
}

Decision Report(const LeakyBucket& limit, Uint128 ahead) {
  Decision decision;
  decision.limit = limit.burst + 1;
  decision.reset_after = RoundUp(limit.interval, ahead);
  const Uint128 queue = TicksOf(limit.interval, limit.burst);
  if (ahead <= queue && OverMaxWait(limit, ahead) == 0) {
    const Uint128 waiting = DivFloor(queue - ahead, limit.interval.ticks_per_unit);
    decision.remaining = static_cast<std::int64_t>(waiting) + 1;
  }
  return decision;
}

Decision Answer(const LeakyBucket& limit, Uint128 ahead, Cost cost) {
  Decision decision = Report(limit, ahead);
  if (cost.units == 0) return decision;
  // Avoids `cost > burst + 1`, which could overflow.
  if (cost.units - 1 > limit.burst) return Refusal(decision, kNever);
  const Uint128 over_queue =
      Over(ahead + TicksOf(limit.interval, cost.units - 1), TicksOf(limit.interval, limit.burst));
  const Uint128 over = std::max(over_queue, OverMaxWait(limit, ahead));
  if (over > 0) return Refusal(decision, RoundUp(limit.interval, over));
  decision.wait = RoundUp(limit.interval, WaitTicks(limit, ahead));
  return decision;
}

}  // namespace

Decision Peek(const LeakyBucket& limit, const FineTime& next, Cost cost, Time now) {
  return Answer(limit, TicksAhead(limit.interval, next, now), cost);
}

Decision Check(const LeakyBucket& limit, FineTime& next, Cost cost, Time now) {
  const Uint128 ahead = TicksAhead(limit.interval, next, now);
  const Decision answer = Answer(limit, ahead, cost);
  if (!answer.allowed || cost.units == 0) return answer;
  const Uint128 after = ahead + TicksOf(limit.interval, cost.units);
  next = AfterTicks(limit.interval, now, after);
  Decision decision = Report(limit, after);
  decision.wait = answer.wait;
  return decision;
}

Decision TakeDebt(const LeakyBucket& limit, FineTime& next, Cost cost, Time now) {
  const Uint128 after = AfterDebt(RoomOf(limit), TicksAhead(limit.interval, next, now), cost);
  if (cost.units > 0) next = AfterTicks(limit.interval, now, after);
  return Report(limit, after);
}

void Refund(const LeakyBucket& limit, FineTime& next, Cost cost, Time now) {
  const Uint128 ahead = TicksAhead(limit.interval, next, now);
  const Uint128 left = Over(ahead, TicksOf(limit.interval, cost.units));
  next = AfterTicks(limit.interval, now, left);
}

void Convert(const LeakyBucket& from, const LeakyBucket& to, FineTime& next, Time now) {
  const Uint128 ahead = TicksAhead(from.interval, next, now);
  next = AfterTicks(to.interval, now, CarryUsed(RoomOf(from), RoomOf(to), ahead));
}

Time UnusedAt(const LeakyBucket& /*limit*/, const FineTime& next) { return RoundUp(next); }

}  // namespace sluice
