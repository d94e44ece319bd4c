// TableLoad: how full a table may be, and what follows from it; Pace, why it is looked after.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// Why a piece of housekeeping is done.
enum class Pace : std::uint8_t {
  kAdding,  // a key is about to be added
  kQuiet,   // some calls have passed
};

// Compares the keys of a table with its slots. Percentages, from the measured fill of two regions
// of buckets with kSlots slots.
template <std::size_t kSlots>
struct TableLoad {
  std::size_t used = 0;
  std::size_t slots = 0;

  // The table grows. What is not yet placed anew when growing ends is 4 % fuller, and even there a
  // key finds room within two moves but for one in millions.
  [[nodiscard]] bool IsFull() const { return IsAbove(kFull); }
  // No more keys are taken, where there is no memory to grow: the side region is then nine tenths
  // full. Three percent more fill it to the last slot, and no key finds room any more, nor do those
  // that are placed anew once there is memory to grow.
  [[nodiscard]] bool IsBrimful() const { return IsAbove(kFull + 6); }
  // Of the old slots of a growing table: growth does not wait for keys to be added.
  [[nodiscard]] bool IsPressing() const { return IsAbove(kFull + 5); }
  // A growing table needs what it grows to.
  [[nodiscard]] bool IsWorthGrowing() const { return IsAbove(70); }
  // The table shrinks.
  [[nodiscard]] bool IsLow() const { return used * 100 < slots * 60; }

 private:
  static constexpr std::size_t kFull = kSlots == 5 ? 84 : 82;

  [[nodiscard]] bool IsAbove(std::size_t percent) const { return used * 100 > slots * percent; }
};

}  // namespace sluice
