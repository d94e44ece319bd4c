// Packing: the layout of the core's states in the words of a slot.
//
// In every layout except the narrow one, words[0] is the time, in nanoseconds since 1970, from
// which the key is unused. The narrow one counts from the shard's epoch, in units of at most 1/256
// ns. Therefore a sweep compares words[0] with a threshold and does not need the limit.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/algorithm/aligned.h"
#include "core/algorithm/quick_window.h"
#include "core/limit/limit.h"
#include "store/region.h"

namespace sluice {

constexpr std::uint64_t TimeWord(Time time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}
constexpr Time TimeOf(std::uint64_t word) { return Time{Nanos{static_cast<std::int64_t>(word)}}; }

// Narrow layout: 56 bits of nanoseconds since the epoch, then 8 bits of ticks. A sliding window
// stores its two counters in the low bits instead, and its time is rounded up to kCoarse. A window
// ends at a multiple of its period, which is longer than kCoarse, so no information is lost.
struct NarrowPacking {
  static constexpr unsigned kCounterBits = 14;
  static constexpr std::int64_t kMaxCounter = (std::int64_t{1} << kCounterBits) - 1;
  static constexpr unsigned kCoarseBits = 2 * kCounterBits - 8;
  static constexpr Nanos kCoarse{std::int64_t{1} << kCoarseBits};

  Time epoch{};

  [[nodiscard]] FineTime Load(const Slot<1>& slot) const {
    return {epoch + Nanos{static_cast<std::int64_t>(slot.words[0] >> 8U)}, slot.words[0] & 0xffU};
  }
  void Save(const FineTime& time, Slot<1>& slot) const {
    const auto whole = static_cast<std::uint64_t>((time.whole - epoch).count());
    slot.words[0] = (whole << 8U) | time.fraction;
  }

  // Returns a later epoch, at `now` or less than kCoarse before it. Window counters are unaffected.
  [[nodiscard]] NarrowPacking MovedTo(Time now) const {
    return {epoch + (now - epoch) / kCoarse * kCoarse};
  }
  // Converts a slot's word to a later epoch; 0 if the key is unused by then.
  [[nodiscard]] std::uint64_t WordUnder(const NarrowPacking& later, const Slot<1>& slot) const {
    const auto age = static_cast<std::uint64_t>((later.epoch - epoch).count());
    return slot.words[0] >> 8U < age ? 0 : slot.words[0] - (age << 8U);
  }
};

// A time and its fraction, for spans above a year and ticks finer than 1/256 ns.
inline void Save(const FineTime& time, Slot<2>& slot) {
  slot.words[0] = TimeWord(RoundUp(time));
  slot.words[1] = time.fraction;
}
inline void Load(const Slot<2>& slot, FineTime& time) {
  time.fraction = slot.words[1];
  time.whole = TimeOf(slot.words[0]) - Nanos{time.fraction != 0 ? 1 : 0};
}

inline void Save(const IntervalBucket::State& state, Slot<2>& slot) {
  slot.words[0] = TimeWord(state.full_at);
  slot.words[1] = static_cast<std::uint64_t>(state.used);
}
inline void Load(const Slot<2>& slot, IntervalBucket::State& state) {
  state = {TimeOf(slot.words[0]), static_cast<std::int64_t>(slot.words[1])};
}

inline void Save(const FixedWindow::State& state, Slot<2>& slot) {
  slot.words[0] = TimeWord(state.end);
  slot.words[1] = static_cast<std::uint64_t>(state.count);
}
inline void Load(const Slot<2>& slot, FixedWindow::State& state) {
  state = {TimeOf(slot.words[0]), static_cast<std::int64_t>(slot.words[1])};
}

// Sliding windows. The end of the window is not stored: the key is unused one period after it if
// anything was charged in it, otherwise at it. `Window` is SlidingWindow or QuickWindow.
template <typename Window>
Time WindowEnd(const Window& window, Time unused_at, std::int64_t current) {
  return unused_at - (current > 0 ? window.rate.period : Nanos{0});
}
template <typename Window>
Time WindowUnusedAt(const Window& window, const SlidingWindow::State& state) {
  return state.end + (state.current > 0 ? window.rate.period : Nanos{0});
}
inline Time AlignedStart(const SlidingWindow& window, Time time) {
  return AlignedStart(time, window.rate.period);
}

template <typename Window>
void SaveWindow(const NarrowPacking& packing, const Window& window,
                const SlidingWindow::State& state, Slot<1>& slot) {
  const Nanos ahead = WindowUnusedAt(window, state) - packing.epoch;
  const auto coarse = static_cast<std::uint64_t>((ahead + NarrowPacking::kCoarse).count() - 1) >>
                      NarrowPacking::kCoarseBits;
  slot.words[0] = (coarse << (2 * NarrowPacking::kCounterBits)) |
                  (static_cast<std::uint64_t>(state.previous) << NarrowPacking::kCounterBits) |
                  static_cast<std::uint64_t>(state.current);
}
template <typename Window>
SlidingWindow::State LoadWindow(const NarrowPacking& packing, const Window& window,
                                const Slot<1>& slot) {
  const std::uint64_t word = slot.words[0];
  const std::uint64_t coarse = word >> (2 * NarrowPacking::kCounterBits);
  const Nanos ahead{static_cast<std::int64_t>(coarse << NarrowPacking::kCoarseBits)};
  const auto counter = [](std::uint64_t bits) {
    return static_cast<std::int64_t>(bits) & NarrowPacking::kMaxCounter;
  };
  const std::int64_t current = counter(word);
  const Time unused_at = AlignedStart(window, packing.epoch + ahead);
  return {WindowEnd(window, unused_at, current), counter(word >> NarrowPacking::kCounterBits),
          current};
}

template <typename Window>
void SaveWindow(const NarrowPacking& /*packing*/, const Window& window,
                const SlidingWindow::State& state, Slot<2>& slot) {
  slot.words[0] = TimeWord(WindowUnusedAt(window, state));
  slot.words[1] = (static_cast<std::uint64_t>(state.previous) << 32U) |
                  static_cast<std::uint64_t>(state.current);
}
template <typename Window>
SlidingWindow::State LoadWindow(const NarrowPacking& /*packing*/, const Window& window,
                                const Slot<2>& slot) {
  const auto previous = static_cast<std::int64_t>(slot.words[1] >> 32U);
  const auto current = static_cast<std::int64_t>(slot.words[1] & 0xffffffffU);
  return {WindowEnd(window, TimeOf(slot.words[0]), current), previous, current};
}

template <typename Window>
void SaveWindow(const NarrowPacking& /*packing*/, const Window& window,
                const SlidingWindow::State& state, Slot<3>& slot) {
  slot.words[0] = TimeWord(WindowUnusedAt(window, state));
  slot.words[1] = static_cast<std::uint64_t>(state.previous);
  slot.words[2] = static_cast<std::uint64_t>(state.current);
}
template <typename Window>
SlidingWindow::State LoadWindow(const NarrowPacking& /*packing*/, const Window& window,
                                const Slot<3>& slot) {
  const auto previous = static_cast<std::int64_t>(slot.words[1]);
  const auto current = static_cast<std::int64_t>(slot.words[2]);
  return {WindowEnd(window, TimeOf(slot.words[0]), current), previous, current};
}

inline void Save(const WarmUpPacer::State& state, Slot<3>& slot) {
  slot.words[0] = TimeWord(state.unused_at);
  slot.words[1] = TimeWord(state.next);
  slot.words[2] = std::bit_cast<std::uint64_t>(state.stored);
}
inline void Load(const Slot<3>& slot, WarmUpPacer::State& state) {
  state = {TimeOf(slot.words[0]), TimeOf(slot.words[1]), std::bit_cast<double>(slot.words[2])};
}

// Whether states of these terms may be stored in slots of this width.
template <typename L, std::size_t kWords>
constexpr bool FitsSlot() {
  constexpr bool kFine = std::is_same_v<L, TokenBucket> || std::is_same_v<L, LeakyBucket>;
  constexpr bool kWindow = std::is_same_v<L, SlidingWindow>;
  if constexpr (kWords == 1) {
    return kFine || kWindow;
  } else if constexpr (kWords == 2) {
    return kFine || kWindow || std::is_same_v<L, IntervalBucket> ||
           std::is_same_v<L, FixedWindow> || std::is_same_v<L, Pacer>;
  } else {
    return kWindow || std::is_same_v<L, WarmUpPacer>;
  }
}

}  // namespace sluice
