// Debt: a cost that is known only afterwards, and so is taken in any case.
//
// Every algorithm that counts units or time has a TakeDebt next to its Check. It never refuses,
// whatever the state and however far the cost is above the limit; its decision is that of the state
// it leaves, allowed and without a wait. A cost of 0 changes nothing.
//
//   - Buckets and pacers go below zero by the whole cost. What is owed comes back at the pace of
//     the limit, and all answers are exact meanwhile. The one bound is FurthestAhead.
//   - Windows and logs fill up: no counter ever holds more than COUNT, and a debt ends with its
//     window. Where all that was charged in a window leaves it at once, this is exact, because a
//     full window refuses everything, however much more was charged in it. In a weighted part (the
//     previous counter of a sliding window, the oldest of weighted sliding buckets) what a debt
//     took beyond COUNT is not seen.
//   - Permits have names, so there is no debt of a concurrency limit.
#pragma once

#include <algorithm>

#include "core/interval.h"
#include "sluice/decision.h"

namespace sluice {

// How far ahead of the time a debt may push a state, unless checks push it further: one year of
// 365 days. A narrow slot of the memory store has room for no more.
inline constexpr Nanos kDebtSpan{std::int64_t{365} * 86400 * 1'000'000'000};

// What a state that is kept as one time may hold.
struct Room {
  Interval interval;
  Uint128 burst = 0;  // ticks of what may pass at one instant
  Uint128 most = 0;   // ticks by which checks can push it ahead of the time; at least burst
};

// The most ticks that a debt pushes such a state ahead; what would go beyond is not taken.
constexpr Uint128 FurthestAhead(const Room& room) {
  return std::max(TicksOf(room.interval, kDebtSpan), room.most);
}

// The ticks held once a debt is taken.
constexpr Uint128 AfterDebt(const Room& room, Uint128 held, Cost cost) {
  const Uint128 after = held + TicksOf(room.interval, cost.units);
  return std::max(held, std::min(after, FurthestAhead(room)));
}

// The ticks under new terms. Used units carry over: of those within the burst at most as many as
// checks can take under the new terms, those beyond it (booked ahead, or a debt) whole.
Uint128 CarryUsed(const Room& from, const Room& to, Uint128 held);

}  // namespace sluice
