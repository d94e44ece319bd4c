#include "core/algorithm/sliding_log.h"

#include <algorithm>
#include <cassert>

#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

// The entries that still count, from index `first` to the newest.
struct View {
  std::uint32_t first = 0;
  std::int64_t units = 0;
};

View ViewAt(const SlidingLog& limit, const LogState& state, Time now) {
  View view{0, state.units};
  while (view.first < state.size && state.At(view.first).at + limit.rate.period <= now) {
    view.units -= state.At(view.first).units;
    ++view.first;
  }
  return view;
}

const LogEntry& Newest(const LogState& state) { return state.At(state.size - 1); }

void DropOldest(LogState& state) {
  state.units -= state.At(0).units;
  state.head = state.head + 1 == state.ring.size() ? 0 : state.head + 1;
  --state.size;
}

// Drops the oldest units until at most `most` are left.
void TrimTo(LogState& state, std::int64_t max) {
  while (state.units > max) {
    LogEntry& oldest = state.At(0);
    const std::int64_t beyond = state.units - max;
    if (oldest.units <= beyond) {
      DropOldest(state);
      continue;
    }
    oldest.units -= beyond;
    state.units = max;
  }
}

// Records units at `now` and drops the oldest ones, so that at most `most` are left.
// REQUIRES: 0 < units <= most, and a free place in the ring.
void Record(LogState& state, std::int64_t units, std::int64_t max, Time now) {
  TrimTo(state, max - units);
  // If the log is ahead of `now`, the units join its newest entry, so that times stay in order.
  if (state.size > 0 && Newest(state).at >= now) {
    state.At(state.size - 1).units += units;
  } else {
    assert(state.size < state.ring.size());
    ++state.size;
    state.At(state.size - 1) = {now, units};
  }
  state.units += units;
}

// Returns the time until min_gap has passed since the newest entry in view.
Nanos GapLeft(const SlidingLog& limit, const LogState& state, const View& view, Time now) {
  // Without min_gap, a log ahead of `now` must not refuse anything here either.
  if (view.first == state.size || limit.min_gap == Nanos{0}) return Nanos{0};
  return std::max(Nanos{0}, Newest(state).at + limit.min_gap - now);
}

// Returns the time until the log has room for the cost. REQUIRES: cost.units <= limit.rate.count.
Nanos WaitForRoom(const SlidingLog& limit, const LogState& state, const View& view, Cost cost,
                  Time now) {
  std::int64_t short_of = cost.units - (limit.rate.count - view.units);
  if (short_of <= 0) return Nanos{0};
  std::uint32_t index = view.first;
  while (short_of > state.At(index).units) short_of -= state.At(index++).units;
  return state.At(index).at + limit.rate.period - now;
}

Decision Report(const SlidingLog& limit, const LogState& state, const View& view, Time now) {
  Decision decision;
  decision.limit = limit.rate.count;
  if (GapLeft(limit, state, view, now) == Nanos{0}) {
    decision.remaining = limit.rate.count - view.units;
  }
  if (view.first < state.size) {
    decision.reset_after = Newest(state).at + limit.rate.period - now;
  }
  return decision;
}

Nanos RetryAfter(const SlidingLog& limit, const LogState& state, const View& view, Cost cost,
                 Time now) {
  if (cost.units > limit.rate.count) return kNever;
  return std::max(GapLeft(limit, state, view, now), WaitForRoom(limit, state, view, cost, now));
}

}  // namespace

void DropPast(const SlidingLog& limit, LogState& state, Time now) {
  while (state.size > 0 && state.At(0).at + limit.rate.period <= now) DropOldest(state);
}

Decision Peek(const SlidingLog& limit, const LogState& state, Cost cost, Time now) {
  const View view = ViewAt(limit, state, now);
  const Decision decision = Report(limit, state, view, now);
  if (cost.units <= decision.remaining) return decision;
  return Refusal(decision, RetryAfter(limit, state, view, cost, now));
}

Decision Check(const SlidingLog& limit, LogState& state, Cost cost, Time now) {
  if (cost.units == 0) return Peek(limit, state, cost, now);
  DropPast(limit, state, now);
  const Decision before = Peek(limit, state, cost, now);
  if (!before.allowed && limit.count_refused == Refused::kFree) return before;
  Record(state, std::min(cost.units, limit.rate.count), limit.rate.count, now);
  const View view{0, state.units};
  const Decision decision = Report(limit, state, view, now);
  if (before.allowed) return decision;
  return Refusal(decision, RetryAfter(limit, state, view, cost, now));
}

Decision TakeDebt(const SlidingLog& limit, LogState& state, Cost cost, Time now) {
  // A debt is recorded like a check with count_refused, whether it passes or not.
  SlidingLog recording = limit;
  recording.count_refused = Refused::kRecord;
  Check(recording, state, cost, now);
  return Peek(limit, state, Cost{0}, now);
}

void Refund(const SlidingLog& limit, LogState& state, Cost cost, Time now) {
  DropPast(limit, state, now);
  std::int64_t left = std::min(cost.units, state.units);
  state.units -= left;
  while (left > 0) {
    LogEntry& newest = state.At(state.size - 1);
    const std::int64_t taken = std::min(left, newest.units);
    newest.units -= taken;
    left -= taken;
    if (newest.units == 0) --state.size;
  }
}

void Convert(const SlidingLog& from, const SlidingLog& to, LogState& state, Time now) {
  // Entries that expired under the old period must not come back under a longer one.
  DropPast(from, state, now);
  DropPast(to, state, now);
  TrimTo(state, to.rate.count);
}

Time UnusedAt(const SlidingLog& limit, const LogState& state) {
  return state.size == 0 ? Time{} : Newest(state).at + limit.rate.period;
}

}  // namespace sluice
