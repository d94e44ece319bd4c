#include "core/algorithm/sliding_window.h"

#include <algorithm>

#include "base/int128.h"
#include "core/algorithm/aligned.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

using State = SlidingWindow::State;

Uint128 Wide(std::int64_t value) { return static_cast<Uint128>(value); }

bool IsUnused(const State& state) { return state.previous == 0 && state.current == 0; }

// Returns the state as of `now`, with the counters of the window that contains `now`.
State StateAt(const SlidingWindow& limit, const State& state, Time now) {
  const Nanos period = limit.rate.period;
  if (IsUnused(state) || now >= state.end + period) return {AlignedEnd(now, period), 0, 0};
  if (now >= state.end) return {state.end + period, state.current, 0};
  return state;
}

// Returns the current count in units of 1/PERIOD. REQUIRES: `state` comes from StateAt.
Uint128 Counted(const SlidingWindow& limit, const State& state, Time now) {
  // A state ahead of `now` is read as of the start of its window.
  const Nanos left = std::min(state.end - now, limit.rate.period);
  return Wide(state.previous) * Wide(left.count()) +
         Wide(state.current) * Wide(limit.rate.period.count());
}

Decision Report(const SlidingWindow& limit, const State& state, Time now) {
  const auto period = static_cast<std::uint64_t>(limit.rate.period.count());
  const Uint128 max = Wide(limit.rate.count) * period;
  const Uint128 counted = Counted(limit, state, now);
  Decision decision;
  decision.limit = limit.rate.count;
  if (counted < max) decision.remaining = ToInt64Saturated(DivFloor(max - counted, period));
  if (!IsUnused(state)) decision.reset_after = UnusedAt(limit, state) - now;
  return decision;
}

// Returns how far into a window the counter `before` leaves room for `room` units: the smallest e
// with before * (PERIOD - e) <= room * PERIOD. REQUIRES: room < before.
Nanos ElapsedUntilRoom(const SlidingWindow& limit, std::int64_t before, std::int64_t room) {
  const Uint128 in_view =
      DivFloor(Wide(room) * Wide(limit.rate.period.count()), static_cast<std::uint64_t>(before));
  return limit.rate.period - Nanos{static_cast<std::int64_t>(in_view)};
}

// Returns when a refused cost will pass. REQUIRES: cost.units <= limit.rate.count.
Time PassesAt(const SlidingWindow& limit, const State& state, Cost cost) {
  const std::int64_t room = limit.rate.count - cost.units;
  if (state.current <= room) {
    const Time start = state.end - limit.rate.period;
    return start + ElapsedUntilRoom(limit, state.previous, room - state.current);
  }
  // It cannot pass in this window. In the next one, this window is the previous.
  return state.end + ElapsedUntilRoom(limit, state.current, room);
}

Decision Answer(const SlidingWindow& limit, const State& state, Cost cost, Time now) {
  const Decision decision = Report(limit, state, now);
  if (cost.units <= decision.remaining) return decision;
  if (cost.units > limit.rate.count) return Refusal(decision, kNever);
  return Refusal(decision, PassesAt(limit, state, cost) - now);
}

}  // namespace

Decision Peek(const SlidingWindow& limit, const State& state, Cost cost, Time now) {
  return Answer(limit, StateAt(limit, state, now), cost, now);
}

Decision Check(const SlidingWindow& limit, State& state, Cost cost, Time now) {
  State after = StateAt(limit, state, now);
  const Decision answer = Answer(limit, after, cost, now);
  if (!answer.allowed || cost.units == 0) return answer;
  after.current += cost.units;
  state = after;
  return Report(limit, after, now);
}

Decision TakeDebt(const SlidingWindow& limit, State& state, Cost cost, Time now) {
  State after = StateAt(limit, state, now);
  after.current += std::min(cost.units, limit.rate.count - after.current);
  if (cost.units > 0) state = after;
  return Report(limit, after, now);
}

void Refund(const SlidingWindow& limit, State& state, Cost cost, Time now) {
  state = StateAt(limit, state, now);
  const std::int64_t newest = std::min(state.current, cost.units);
  state.current -= newest;
  state.previous -= std::min(state.previous, cost.units - newest);
  if (IsUnused(state)) state = {};
}

void Convert(const SlidingWindow& from, const SlidingWindow& to, State& state, Time now) {
  const State before = StateAt(from, state, now);
  state = {};
  if (IsUnused(before)) return;
  const std::int64_t max = to.rate.count;
  if (to.rate.period == from.rate.period) {
    state = {before.end, std::min(before.previous, max), std::min(before.current, max)};
    return;
  }
  const Uint128 units =
      DivCeil(Counted(from, before, now), static_cast<std::uint64_t>(from.rate.period.count()));
  state = {AlignedEnd(now, to.rate.period), 0, std::min(ToInt64Saturated(units), max)};
}

Time UnusedAt(const SlidingWindow& limit, const State& state) {
  if (IsUnused(state)) return Time{};
  return state.current > 0 ? state.end + limit.rate.period : state.end;
}

}  // namespace sluice
