#include "core/algorithm/fixed_window.h"

#include <algorithm>

#include "base/int128.h"
#include "core/algorithm/aligned.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

// Returns the phase of a staggered window: the hash as a fraction of the period.
Nanos OffsetOf(Stagger stagger, Nanos period) {
  const Uint128 product = static_cast<Uint128>(stagger.key_hash) *
                          static_cast<Uint128>(static_cast<std::uint64_t>(period.count()));
  return Nanos{static_cast<std::int64_t>(product >> 64U)};
}

// Returns the end of the window that a charge at `now` would open.
Time EndOfNewWindow(const FixedWindow& limit, Time now, Stagger stagger) {
  const Nanos period = limit.rate.period;
  switch (limit.window) {
    case WindowKind::kAligned:
      break;
    case WindowKind::kStaggered: {
      const Nanos offset = OffsetOf(stagger, period);
      return AlignedEnd(now - offset, period) + offset;
    }
    case WindowKind::kFirstRequest:
      return now + period;
    case WindowKind::kCalendar:
      return WindowAt(*limit.zone, limit.unit, now).end;
  }
  return AlignedEnd(now, period);
}

bool IsOpen(const FixedWindow::State& state, Time now) {
  return state.count > 0 && now < state.end;
}

// Returns the state as of `now`: a window that has ended is as if never used.
FixedWindow::State StateAt(const FixedWindow::State& state, Time now) {
  return IsOpen(state, now) ? state : FixedWindow::State{};
}

// Adds units and opens a window if none is open. REQUIRES: `state` comes from StateAt.
void Add(const FixedWindow& limit, FixedWindow::State& state, std::int64_t units, Time now,
         Stagger stagger) {
  if (units == 0) return;
  if (state.count == 0) state.end = EndOfNewWindow(limit, now, stagger);
  state.count += units;
}

Decision Report(const FixedWindow& limit, const FixedWindow::State& state, Time now) {
  Decision decision;
  decision.limit = limit.rate.count;
  decision.remaining = std::max<std::int64_t>(0, limit.rate.count - state.count);
  if (state.count > 0) decision.reset_after = state.end - now;
  return decision;
}

Decision Answer(const FixedWindow& limit, const FixedWindow::State& state, Cost cost, Time now) {
  const Decision decision = Report(limit, state, now);
  if (cost.units <= decision.remaining) return decision;
  // A cost that fits COUNT is refused only if the window is in use, so reset_after is its end.
  return Refusal(decision, cost.units > limit.rate.count ? kNever : decision.reset_after);
}

}  // namespace

Decision Peek(const FixedWindow& limit, const FixedWindow::State& state, Cost cost, Time now,
              Stagger /*stagger*/) {
  return Answer(limit, StateAt(state, now), cost, now);
}

Decision Check(const FixedWindow& limit, FixedWindow::State& state, Cost cost, Time now,
               Stagger stagger) {
  FixedWindow::State after = StateAt(state, now);
  const Decision answer = Answer(limit, after, cost, now);
  if (cost.units == 0) return answer;
  if (!answer.allowed && limit.count_refused == Refused::kFree) return answer;
  Add(limit, after, std::min(cost.units, answer.remaining), now, stagger);
  state = after;
  const Decision decision = Report(limit, after, now);
  if (answer.allowed) return decision;
  return Refusal(decision, answer.retry_after);
}

Decision TakeDebt(const FixedWindow& limit, FixedWindow::State& state, Cost cost, Time now,
                  Stagger stagger) {
  FixedWindow::State after = StateAt(state, now);
  Add(limit, after, std::min(cost.units, limit.rate.count - after.count), now, stagger);
  if (cost.units > 0) state = after;
  return Report(limit, after, now);
}

void Refund(const FixedWindow& /*limit*/, FixedWindow::State& state, Cost cost, Time now) {
  state = StateAt(state, now);
  state.count -= std::min(state.count, cost.units);
  if (state.count == 0) state = {};
}

void Convert(const FixedWindow& from, const FixedWindow& to, FixedWindow::State& state, Time now,
             Stagger stagger) {
  const FixedWindow::State before = StateAt(state, now);
  state = {};
  Add(to, state, std::min(before.count, to.rate.count), now, stagger);
  const bool keeps_opening =
      from.window == WindowKind::kFirstRequest && to.window == WindowKind::kFirstRequest;
  if (state.count == 0 || !keeps_opening) return;
  const Time end = before.end - from.rate.period + to.rate.period;
  if (end > now) state.end = end;
}

Time UnusedAt(const FixedWindow& /*limit*/, const FixedWindow::State& state) {
  return state.count == 0 ? Time{} : state.end;
}

}  // namespace sluice
