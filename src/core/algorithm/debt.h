// Debt: a cost that is known only afterwards and is therefore charged unconditionally.
//
// Every algorithm that counts units or time has a TakeDebt beside its Check. It never refuses,
// whatever the state is and however far the cost exceeds the limit. It returns the decision of the
// resulting state, allowed and without a wait. A cost of 0 changes nothing.
//
//   - Buckets and pacers go below zero by the whole cost. The debt is paid back at the rate of the
//     limit, and all answers stay exact in the meantime. The only bound is FurthestAhead.
//   - Windows and logs fill up: no counter ever exceeds COUNT, and a debt ends with its window.
//     This is exact if all units of a window expire together, because a full window refuses
//     everything anyway. In a weighted part (the previous counter of a sliding window, the oldest
//     part of weighted sliding buckets) the part of a debt beyond COUNT is lost.
//   - Permits have ids, so a concurrency limit has no debts.
#pragma once

#include <algorithm>

#include "core/limit/interval.h"
#include "sluice/decision.h"

namespace sluice {

// The maximum time by which a debt may push a state ahead, unless checks push it further: one year
// of 365 days, which is as much as a narrow slot of the memory store can hold.
inline constexpr Nanos kDebtSpan{std::int64_t{365} * 86400 * 1'000'000'000};

// The bounds of a state that is kept as one point in time.
struct Room {
  Interval interval;
  Uint128 burst = 0;  // ticks of the units that may pass at one instant
  Uint128 max = 0;    // ticks by which checks can push it ahead of the current time; at least burst
};

// Returns the ticks by which a debt may push such a state ahead. The rest of the debt is dropped.
constexpr Uint128 FurthestAhead(const Room& room) {
  return std::max(TicksOf(room.interval, kDebtSpan), room.max);
}

// Returns the ticks held after a debt is taken.
constexpr Uint128 AfterDebt(const Room& room, Uint128 held, Cost cost) {
  const Uint128 after = held + TicksOf(room.interval, cost.units);
  return std::max(held, std::min(after, FurthestAhead(room)));
}

// Converts the ticks held to new terms. Used units within the burst are cut to what checks can take
// under the new terms; units beyond it (booked ahead, or a debt) carry over in full.
Uint128 CarryUsed(const Room& from, const Room& to, Uint128 held);

}  // namespace sluice
