#include "remote/script/one_time_reach.h"

#include <algorithm>

#include "core/algorithm/debt.h"

namespace sluice {
namespace {

// Larger than any state can be ahead.
constexpr Uint128 kAnyTicks = static_cast<Uint128>(1) << 126U;

}  // namespace

std::optional<Uint128> RoomFor(const TokenBucket& limit, Cost cost) {
  if (cost.units == 0) return kAnyTicks;
  if (cost.units > limit.burst) return std::nullopt;
  return TicksOf(limit.interval, limit.burst - cost.units) +
         TicksOf(limit.interval, limit.max_wait);
}

std::optional<Uint128> RoomFor(const LeakyBucket& limit, Cost cost) {
  if (cost.units == 0) return kAnyTicks;
  if (cost.units - 1 > limit.burst) return std::nullopt;
  const Uint128 queue = TicksOf(limit.interval, limit.burst - (cost.units - 1));
  const Uint128 waits =
      TicksOf(limit.interval, limit.delay_after) + TicksOf(limit.interval, limit.max_wait);
  return std::min(queue, waits);
}

std::optional<Uint128> RoomFor(const Pacer& limit, Cost cost) {
  if (cost.units == 0) return kAnyTicks;
  const Uint128 moved = TicksOf(limit.interval, cost.units);
  const Uint128 furthest = FurthestOf(limit);
  if (moved > furthest) return std::nullopt;
  return std::min(limit.burst_ticks + TicksOf(limit.interval, limit.max_wait), furthest - moved);
}

Uint128 FurthestOf(const TokenBucket& limit) { return FurthestAhead(token_bucket::RoomOf(limit)); }

Uint128 FurthestOf(const LeakyBucket& limit) {
  const Uint128 queue = TicksOf(limit.interval, limit.burst) + limit.interval.ticks_per_unit;
  return FurthestAhead({limit.interval, queue, queue});
}

Uint128 FurthestOf(const Pacer& limit) {
  return FurthestAhead({limit.interval, limit.burst_ticks, TicksOf(limit.interval, kLongestSpan)});
}

}  // namespace sluice
