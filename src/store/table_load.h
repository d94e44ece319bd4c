// TableLoad: how full a table may be, and what follows from it; Pace: why housekeeping is done.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// The reason for a step of housekeeping.
enum class Pace : std::uint8_t {
  kAdding,  // a key is about to be added
  kQuiet,   // some calls have passed without one
};

// Compares the keys of a table with its slots. Percentages, from the measured fill of two regions
// of buckets with kSlots slots.
template <std::size_t kSlots>
struct TableLoad {
  std::size_t used = 0;
  std::size_t slots = 0;

  // The table grows. Buckets that are not yet re-placed when growing ends are 4 % fuller, and even
  // there all but one key in millions find room within two moves.
  [[nodiscard]] bool IsFull() const { return IsAbove(kFull); }
  // No more keys are accepted if there is no memory to grow: the side region is then nine tenths
  // full. With three percent more the last slot would be used, and no key would find room any more,
  // not even those that are re-placed once there is memory to grow.
  [[nodiscard]] bool IsBrimful() const { return IsAbove(kFull + 6); }
  // Measured on the old slots of a growing table: growth does not wait for keys to be added.
  [[nodiscard]] bool IsPressing() const { return IsAbove(kFull + 5); }
  // A growing table needs its new size.
  [[nodiscard]] bool IsWorthGrowing() const { return IsAbove(70); }
  // The table shrinks.
  [[nodiscard]] bool IsLow() const { return used * 100 < slots * 60; }

 private:
  static constexpr std::size_t kFull = kSlots == 5 ? 84 : 82;

  [[nodiscard]] bool IsAbove(std::size_t percent) const { return used * 100 > slots * percent; }
};

}  // namespace sluice
