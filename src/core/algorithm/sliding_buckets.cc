#include "core/algorithm/sliding_buckets.h"

#include <algorithm>
#include <optional>

#include "base/int128.h"
#include "core/algorithm/aligned.h"
#include "core/algorithm/refusal.h"

namespace sluice {
namespace {

// The parts in view at one point in time.
struct View {
  std::int64_t index = 0;   // index of the current part
  std::int64_t full = 0;    // units in it and in the buckets - 1 parts before it
  std::int64_t oldest = 0;  // units in the part before those
};

Uint128 Wide(std::int64_t value) { return static_cast<Uint128>(value); }

// Returns the length of a part.
Nanos Part(const SlidingBuckets& limit) { return limit.rate.period / limit.buckets; }

std::int64_t& Place(const PartsState& state, std::int64_t index) {
  const auto places = static_cast<std::int64_t>(state.parts.size());
  const std::int64_t place = index % places;
  return state.parts[static_cast<std::size_t>(place < 0 ? place + places : place)];
}

// Returns the units of a part, or 0 if the ring does not hold it any more or yet.
std::int64_t UnitsOf(const PartsState& state, std::int64_t index) {
  const auto places = static_cast<std::int64_t>(state.parts.size());
  if (index > state.newest || index <= state.newest - places) return 0;
  return Place(state, index);
}

// Returns the index of the current part. A state ahead of `now` is read as of the start of its
// newest part.
std::int64_t IndexAt(const SlidingBuckets& limit, const PartsState& state, Time now) {
  return std::max(PeriodsSince1970(now, Part(limit)), state.newest);
}

View ViewAt(const SlidingBuckets& limit, const PartsState& state, Time now) {
  View view{IndexAt(limit, state, now), state.units, 0};
  if (state.units == 0) return view;
  const std::int64_t oldest = view.index - limit.buckets;
  const std::int64_t stale_end = std::min(oldest, state.newest + 1);
  for (std::int64_t index = state.newest - limit.buckets; index < stale_end; ++index) {
    view.full -= UnitsOf(state, index);
  }
  view.oldest = UnitsOf(state, oldest);
  view.full -= view.oldest;
  return view;
}

// Makes the current part the newest and clears the parts that went out of view.
void Advance(const SlidingBuckets& limit, PartsState& state, Time now) {
  const std::int64_t index = IndexAt(limit, state, now);
  if (state.units > 0) {
    const std::int64_t last = std::min(index, state.newest + limit.buckets + 1);
    for (std::int64_t fresh = state.newest + 1; fresh <= last; ++fresh) {
      state.units -= Place(state, fresh);
      Place(state, fresh) = 0;
    }
  }
  state.newest = index;
}

// Drops the oldest units of the current part and the buckets - 1 parts before it.
// REQUIRES: these parts hold at least `units`, and Advance was called.
void DropOldest(const SlidingBuckets& limit, PartsState& state, std::int64_t units) {
  state.units -= units;
  for (std::int64_t index = state.newest - limit.buckets + 1; units > 0; ++index) {
    std::int64_t& part = Place(state, index);
    const std::int64_t dropped = std::min(units, part);
    part -= dropped;
    units -= dropped;
  }
}

// Adds units to the current part. REQUIRES: Advance was called.
void Add(PartsState& state, std::int64_t units) {
  Place(state, state.newest) += units;
  state.units += units;
}

// Returns the part of the oldest part's length that counts.
Nanos CountedOfOldest(const SlidingBuckets& limit, const View& view, Time now) {
  const Nanos part = Part(limit);
  switch (limit.oldest) {
    case OldestPart::kStrict:
      break;
    case OldestPart::kLenient:
      return Nanos{0};
    case OldestPart::kWeighted:
      return std::min(part, Time{(view.index + 1) * part} - now);
  }
  return part;
}

// Returns the current count in units of 1/w.
Uint128 Counted(const SlidingBuckets& limit, const View& view, Time now) {
  return Wide(view.full) * Wide(Part(limit).count()) +
         Wide(view.oldest) * Wide(CountedOfOldest(limit, view, now).count());
}

Decision Report(const SlidingBuckets& limit, const PartsState& state, const View& view, Time now) {
  const auto part = static_cast<std::uint64_t>(Part(limit).count());
  const Uint128 max = Wide(limit.rate.count) * part;
  const Uint128 counted = Counted(limit, view, now);
  Decision decision;
  decision.limit = limit.rate.count;
  if (counted < max) decision.remaining = ToInt64Saturated(DivFloor(max - counted, part));
  decision.reset_after = std::max(Nanos{0}, UnusedAt(limit, state) - now);
  return decision;
}

// Returns how far into a part its oldest part counts for at most `room` units, or nothing if it
// never does. The whole length means the start of the next part, when the oldest is out of view.
std::optional<Nanos> ElapsedUntilRoom(const SlidingBuckets& limit, std::int64_t oldest,
                                      std::int64_t room) {
  if (room < 0) return std::nullopt;
  if (oldest <= room || limit.oldest == OldestPart::kLenient) return Nanos{0};
  if (limit.oldest == OldestPart::kStrict) return std::nullopt;
  const Nanos part = Part(limit);
  const Uint128 in_view =
      DivFloor(Wide(room) * Wide(part.count()), static_cast<std::uint64_t>(oldest));
  return part - Nanos{static_cast<std::int64_t>(in_view)};
}

// Returns when a refused cost will pass. REQUIRES: cost.units <= limit.rate.count.
Time PassesAt(const SlidingBuckets& limit, const PartsState& state, const View& view, Cost cost) {
  View later = view;
  // The loop ends at the latest when all parts are out of view.
  while (true) {
    const std::int64_t room = limit.rate.count - cost.units - later.full;
    const std::optional<Nanos> elapsed = ElapsedUntilRoom(limit, later.oldest, room);
    if (elapsed) return Time{later.index * Part(limit)} + *elapsed;
    ++later.index;
    later.oldest = UnitsOf(state, later.index - limit.buckets);
    later.full -= later.oldest;
  }
}

Decision Answer(const SlidingBuckets& limit, const PartsState& state, Cost cost, Time now) {
  const View view = ViewAt(limit, state, now);
  const Decision decision = Report(limit, state, view, now);
  if (cost.units <= decision.remaining) return decision;
  if (cost.units > limit.rate.count) return Refusal(decision, kNever);
  return Refusal(decision, PassesAt(limit, state, view, cost) - now);
}

}  // namespace

Decision Peek(const SlidingBuckets& limit, const PartsState& state, Cost cost, Time now) {
  return Answer(limit, state, cost, now);
}

Decision Check(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now) {
  if (cost.units == 0) return Answer(limit, state, cost, now);
  Advance(limit, state, now);
  const Decision answer = Answer(limit, state, cost, now);
  if (!answer.allowed) return answer;
  Add(state, cost.units);
  return Report(limit, state, ViewAt(limit, state, now), now);
}

Decision TakeDebt(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now) {
  if (cost.units == 0) return Answer(limit, state, cost, now);
  Advance(limit, state, now);
  const std::int64_t units = std::min(cost.units, limit.rate.count);
  const std::int64_t stays = limit.rate.count - units;
  const std::int64_t held = ViewAt(limit, state, now).full;
  if (held > stays) DropOldest(limit, state, held - stays);
  Add(state, units);
  return Report(limit, state, ViewAt(limit, state, now), now);
}

void Refund(const SlidingBuckets& limit, PartsState& state, Cost cost, Time now) {
  Advance(limit, state, now);
  std::int64_t left = std::min(cost.units, state.units);
  state.units -= left;
  for (std::int64_t index = state.newest; left > 0; --index) {
    std::int64_t& units = Place(state, index);
    const std::int64_t taken = std::min(left, units);
    units -= taken;
    left -= taken;
  }
}

std::int64_t UnitsInView(const SlidingBuckets& limit, const PartsState& state, Time now) {
  const auto part = static_cast<std::uint64_t>(Part(limit).count());
  return ToInt64Saturated(DivCeil(Counted(limit, ViewAt(limit, state, now), now), part));
}

Time UnusedAt(const SlidingBuckets& limit, const PartsState& state) {
  if (state.units == 0) return Time{};
  std::int64_t newest = state.newest;
  while (Place(state, newest) == 0) --newest;
  const std::int64_t parts_in_view =
      limit.oldest == OldestPart::kLenient ? limit.buckets : std::int64_t{limit.buckets} + 1;
  return Time{(newest + parts_in_view) * Part(limit)};
}

}  // namespace sluice
