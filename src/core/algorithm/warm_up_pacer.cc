#include "core/algorithm/warm_up_pacer.h"

#include <algorithm>
#include <cmath>

#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

using State = WarmUpPacer::State;

// The trapezoid of costs: a stored unit costs stable_ns up to `threshold` units; each unit beyond
// costs `slope` more than the one before. Units are fractional, times are in nanoseconds.
struct Trapezoid {
  double threshold = 0;
  double max = 0;  // stored units of an unused key
  double slope = 0;
  double refill_ns = 0;  // time in which one stored unit comes back
};

// The state that a request finds.
struct View {
  Time next{};  // never before now
  double stored = 0;
};

double ToDouble(Nanos length) { return static_cast<double>(length.count()); }

Trapezoid TrapezoidOf(const WarmUpPacer& limit) {
  const double warm_up = ToDouble(limit.warm_up);
  const double cold_ns = limit.cold_factor * limit.stable_ns;
  const double sloped = 2.0 * warm_up / (limit.stable_ns + cold_ns);
  Trapezoid shape;
  shape.threshold = 0.5 * warm_up / limit.stable_ns;
  shape.max = shape.threshold + sloped;
  shape.slope = (cold_ns - limit.stable_ns) / sloped;
  shape.refill_ns = warm_up / shape.max;
  return shape;
}

View ViewAt(const Trapezoid& shape, const State& state, Time now) {
  if (now >= state.unused_at) return {now, shape.max};
  if (now <= state.next) return {state.next, std::clamp(state.stored, 0.0, shape.max)};
  const double refilled = state.stored + ToDouble(now - state.next) / shape.refill_ns;
  return {now, std::clamp(refilled, 0.0, shape.max)};
}

// Returns the time that `units` cost. Stored units are spent first.
double CostNs(const WarmUpPacer& limit, const Trapezoid& shape, double stored, double units) {
  const double spent = std::min(units, stored);
  const double above = std::max(0.0, stored - shape.threshold);
  const double sloped = std::min(above, spent);
  const double dearest = limit.stable_ns + above * shape.slope;
  const double cheapest = limit.stable_ns + (above - sloped) * shape.slope;
  return sloped * (dearest + cheapest) / 2.0 + (units - sloped) * limit.stable_ns;
}

// Returns the duration rounded up to whole nanoseconds, or kNever if it exceeds kLongestSpan or is
// NaN.
Nanos ToNanos(double ns) {
  const double whole = std::ceil(ns);
  if (!(whole <= ToDouble(kLongestSpan))) return kNever;
  return Nanos{static_cast<std::int64_t>(whole)};
}

State StateOf(const Trapezoid& shape, const View& view) {
  // No Time may be later than this: see kLatestTime.
  constexpr Time kLast = kLatestTime + kLongestSpan;
  const Nanos refill = ToNanos((shape.max - view.stored) * shape.refill_ns);
  const Time unused_at = refill > kLast - view.next ? kLast : view.next + refill;
  return {unused_at, view.next, view.stored};
}

// Returns the state after a charge moved `next`.
State StateAfter(const Trapezoid& shape, View view, Nanos moved, Cost cost) {
  view.next += moved;
  view.stored -= std::min(static_cast<double>(cost.units), view.stored);
  return StateOf(shape, view);
}

Decision Report(const State& state, Time now) {
  Decision decision;
  decision.limit = kNoUnits;
  decision.remaining = kNoUnits;
  decision.reset_after = std::max(Nanos{0}, state.unused_at - now);
  return decision;
}

Nanos MovedBy(const WarmUpPacer& limit, const Trapezoid& shape, const View& view, Cost cost) {
  return ToNanos(CostNs(limit, shape, view.stored, static_cast<double>(cost.units)));
}

Decision Answer(const WarmUpPacer& limit, const State& state, const View& view, Nanos moved,
                Time now) {
  Decision decision = Report(state, now);
  if (moved == kNever) return Refusal(decision, kNever);
  const Nanos wait = view.next - now;
  // The storage does not change before `next`, so `moved` stays the same until this passes.
  const Nanos over = std::max(wait - limit.max_wait, wait - (kLongestSpan - moved));
  if (over > Nanos{0}) return Refusal(decision, over);
  decision.wait = wait;
  return decision;
}

}  // namespace

Decision Peek(const WarmUpPacer& limit, const State& state, Cost cost, Time now) {
  if (cost.units == 0) return Report(state, now);
  const Trapezoid shape = TrapezoidOf(limit);
  const View view = ViewAt(shape, state, now);
  return Answer(limit, state, view, MovedBy(limit, shape, view, cost), now);
}

Decision Check(const WarmUpPacer& limit, State& state, Cost cost, Time now) {
  if (cost.units == 0) return Report(state, now);
  const Trapezoid shape = TrapezoidOf(limit);
  const View view = ViewAt(shape, state, now);
  const Nanos moved = MovedBy(limit, shape, view, cost);
  const Decision answer = Answer(limit, state, view, moved, now);
  if (!answer.allowed) return answer;
  state = StateAfter(shape, view, moved, cost);
  Decision decision = Report(state, now);
  decision.wait = answer.wait;
  return decision;
}

Decision TakeDebt(const WarmUpPacer& limit, State& state, Cost cost, Time now) {
  if (cost.units == 0) return Report(state, now);
  const Trapezoid shape = TrapezoidOf(limit);
  const View view = ViewAt(shape, state, now);
  const Nanos room = std::max(Nanos{0}, kLongestSpan - (view.next - now));
  const Nanos moved = std::min(MovedBy(limit, shape, view, cost), room);
  state = StateAfter(shape, view, moved, cost);
  return Report(state, now);
}

void Convert(const WarmUpPacer& from, const WarmUpPacer& to, State& state, Time now) {
  if (now >= state.unused_at) {
    state = {};
    return;
  }
  const Trapezoid before = TrapezoidOf(from);
  const Trapezoid after = TrapezoidOf(to);
  View view = ViewAt(before, state, now);
  view.stored = std::min(after.max, view.stored / before.max * after.max);
  state = StateOf(after, view);
}

Time UnusedAt(const WarmUpPacer& /*limit*/, const State& state) { return state.unused_at; }

}  // namespace sluice
