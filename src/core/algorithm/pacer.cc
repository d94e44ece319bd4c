#include "core/algorithm/pacer.h"

#include <algorithm>

#include "core/algorithm/debt.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

Uint128 Over(Uint128 value, Uint128 max) { return value > max ? value - max : 0; }

// Returns how far tat may be ahead of the current time.
Room RoomOf(const Pacer& limit) {
  return {limit.interval, limit.burst_ticks, TicksOf(limit.interval, kLongestSpan)};
}

Decision Report(const Pacer& limit, Uint128 held) {
  Decision decision;
  decision.limit = kNoUnits;
  decision.remaining = kNoUnits;
  decision.reset_after = RoundUp(limit.interval, held);
  return decision;
}

Decision Answer(const Pacer& limit, Uint128 held, Cost cost) {
  Decision decision = Report(limit, held);
  if (cost.units == 0) return decision;
  const Uint128 moved = TicksOf(limit.interval, cost.units);
  const Uint128 furthest = FurthestAhead(RoomOf(limit));
  if (moved > furthest) return Refusal(decision, kNever);
  const Uint128 wait = Over(held, limit.burst_ticks);
  const Uint128 over =
      std::max(Over(wait, TicksOf(limit.interval, limit.max_wait)), Over(held + moved, furthest));
  if (over > 0) return Refusal(decision, RoundUp(limit.interval, over));
  decision.wait = RoundUp(limit.interval, wait);
  return decision;
}

// Converts `stored` ticks of units from one interval to the other, at most the new burst.
Uint128 StoredUnder(const Pacer& from, const Pacer& to, Uint128 stored) {
  const std::uint64_t unit_from = from.interval.ticks_per_unit;
  const std::uint64_t unit_to = to.interval.ticks_per_unit;
  const Uint128 units = DivFloor(stored, unit_from);
  if (units > DivFloor(to.burst_ticks, unit_to)) return to.burst_ticks;
  const Uint128 rest = DivFloor((stored - units * unit_from) * unit_to, unit_from);
  return std::min(to.burst_ticks, units * unit_to + rest);
}

}  // namespace

Decision Peek(const Pacer& limit, const FineTime& tat, Cost cost, Time now) {
  return Answer(limit, TicksAhead(limit.interval, tat, now), cost);
}

Decision Check(const Pacer& limit, FineTime& tat, Cost cost, Time now) {
  const Uint128 held = TicksAhead(limit.interval, tat, now);
  const Decision answer = Answer(limit, held, cost);
  if (!answer.allowed || cost.units == 0) return answer;
  const Uint128 after = held + TicksOf(limit.interval, cost.units);
  tat = AfterTicks(limit.interval, now, after);
  Decision decision = Report(limit, after);
  decision.wait = answer.wait;
  return decision;
}

Decision TakeDebt(const Pacer& limit, FineTime& tat, Cost cost, Time now) {
  const Uint128 after = AfterDebt(RoomOf(limit), TicksAhead(limit.interval, tat, now), cost);
  if (cost.units > 0) tat = AfterTicks(limit.interval, now, after);
  return Report(limit, after);
}

void Convert(const Pacer& from, const Pacer& to, FineTime& tat, Time now) {
  const Uint128 held = TicksAhead(from.interval, tat, now);
  Uint128 held_after = 0;
  if (held > from.burst_ticks) {
    const Uint128 booked =
        MulDivCeil(held - from.burst_ticks, to.interval.ticks_per_ns, from.interval.ticks_per_ns);
    held_after = std::min(FurthestAhead(RoomOf(to)), booked + to.burst_ticks);
  } else if (held > 0) {
    held_after = to.burst_ticks - StoredUnder(from, to, from.burst_ticks - held);
  }
  tat = AfterTicks(to.interval, now, held_after);
}

Time UnusedAt(const Pacer& /*limit*/, const FineTime& tat) { return RoundUp(tat); }

}  // namespace sluice
