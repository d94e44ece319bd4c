// Packing: how the states of the core are laid out in the words of a slot.
//
// In every layout but the narrow one words[0] is the time, in nanoseconds since 1970, from which on
// the key is unused; the narrow one counts from the shard's epoch, in units of 1/256 ns at most. So
// a sweep compares words[0] with a threshold and needs no limit.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/limit.h"
#include "store/region.h"

namespace sluice {

constexpr std::uint64_t Word(Time time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}
constexpr Time TimeOf(std::uint64_t word) { return Time{Nanos{static_cast<std::int64_t>(word)}}; }

// Narrow: 56 bits of whole nanoseconds since the epoch, 8 bits of ticks.
struct NarrowPacking {
  Time epoch{};

  [[nodiscard]] FineTime Load(const Slot<1>& slot) const {
    return {epoch + Nanos{static_cast<std::int64_t>(slot.words[0] >> 8U)}, slot.words[0] & 0xffU};
  }
  void Save(const FineTime& time, Slot<1>& slot) const {
    const auto whole = static_cast<std::uint64_t>((time.whole - epoch).count());
    slot.words[0] = (whole << 8U) | time.fraction;
  }
};

// A time and its fraction, for spans above a year and ticks finer than 1/256 ns.
inline void Save(const FineTime& time, Slot<2>& slot) {
  slot.words[0] = Word(RoundUp(time));
  slot.words[1] = time.fraction;
}
inline void Load(const Slot<2>& slot, FineTime& time) {
  time.fraction = slot.words[1];
  time.whole = TimeOf(slot.words[0]) - Nanos{time.fraction != 0 ? 1 : 0};
}

inline void Save(const IntervalBucket::State& state, Slot<2>& slot) {
  slot.words[0] = Word(state.full_at);
  slot.words[1] = static_cast<std::uint64_t>(state.used);
}
inline void Load(const Slot<2>& slot, IntervalBucket::State& state) {
  state = {TimeOf(slot.words[0]), static_cast<std::int64_t>(slot.words[1])};
}

inline void Save(const FixedWindow::State& state, Slot<2>& slot) {
  slot.words[0] = Word(state.end);
  slot.words[1] = static_cast<std::uint64_t>(state.count);
}
inline void Load(const Slot<2>& slot, FixedWindow::State& state) {
  state = {TimeOf(slot.words[0]), static_cast<std::int64_t>(slot.words[1])};
}

// The end of the window is not kept: the key is unused one period after it if anything was charged
// in it, at it if not.
inline Time WindowEnd(const SlidingWindow& limit, std::uint64_t unused_at, std::int64_t current) {
  return TimeOf(unused_at) - (current > 0 ? limit.rate.period : Nanos{0});
}

inline void Save(const SlidingWindow& limit, const SlidingWindow::State& state, Slot<2>& slot) {
  slot.words[0] = Word(UnusedAt(limit, state));
  slot.words[1] = (static_cast<std::uint64_t>(state.previous) << 32U) |
                  static_cast<std::uint64_t>(state.current);
}
inline void Load(const SlidingWindow& limit, const Slot<2>& slot, SlidingWindow::State& state) {
  state.previous = static_cast<std::int64_t>(slot.words[1] >> 32U);
  state.current = static_cast<std::int64_t>(slot.words[1] & 0xffffffffU);
  state.end = WindowEnd(limit, slot.words[0], state.current);
}

inline void Save(const SlidingWindow& limit, const SlidingWindow::State& state, Slot<3>& slot) {
  slot.words[0] = Word(UnusedAt(limit, state));
  slot.words[1] = static_cast<std::uint64_t>(state.previous);
  slot.words[2] = static_cast<std::uint64_t>(state.current);
}
inline void Load(const SlidingWindow& limit, const Slot<3>& slot, SlidingWindow::State& state) {
  state.previous = static_cast<std::int64_t>(slot.words[1]);
  state.current = static_cast<std::int64_t>(slot.words[2]);
  state.end = WindowEnd(limit, slot.words[0], state.current);
}

inline void Save(const WarmUpPacer::State& state, Slot<3>& slot) {
  slot.words[0] = Word(state.unused_at);
  slot.words[1] = Word(state.next);
  slot.words[2] = std::bit_cast<std::uint64_t>(state.stored);
}
inline void Load(const Slot<3>& slot, WarmUpPacer::State& state) {
  state = {TimeOf(slot.words[0]), TimeOf(slot.words[1]), std::bit_cast<double>(slot.words[2])};
}

// Whether states of these terms may be found in slots of this width.
template <typename L, std::size_t kWords>
constexpr bool FitsSlot() {
  constexpr bool kFine = std::is_same_v<L, TokenBucket> || std::is_same_v<L, LeakyBucket>;
  constexpr bool kWindow = std::is_same_v<L, SlidingWindow>;
  if constexpr (kWords == 1) {
    return kFine;
  } else if constexpr (kWords == 2) {
    return kFine || kWindow || std::is_same_v<L, IntervalBucket> ||
           std::is_same_v<L, FixedWindow> || std::is_same_v<L, Pacer>;
  } else {
    return kWindow || std::is_same_v<L, WarmUpPacer>;
  }
}

}  // namespace sluice
