// SystemClock: the machine's clock, and the one place that reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>

#include "sluice/clock.h"

namespace sluice {

// Readings of the two clocks that a SystemClock is made from.
struct ClockReading {
  Nanos steady{0};  // never steps; goes on while the machine is suspended
  Time wall{};      // steps when somebody sets it
};

// Follows the steady clock from the wall time at which it was made, slewed towards wall time.
//
// Pure: readings are passed in. Thread safety: none; SystemClock guards it.
//
// Invariants
//   (1) Time never goes back while the steady clock does not.
//   (2) In any stretch, time passes at 1999/2000 to 2001/2000 of the steady clock's speed.
//   (3) A wall clock that differs by more than kJump since the last look is a jump: it is counted,
//       and time moves towards it at the same gentle slew.
class SlewedTime {
 public:
  explicit SlewedTime(const ClockReading& first)
      : steady_(first.steady), time_(first.wall), wall_offset_(first.wall - Time{first.steady}) {}

  // The time at a reading. REQUIRES: reading.steady is not before the last one's.
  Time At(const ClockReading& reading);

  [[nodiscard]] std::uint64_t JumpsForTest() const { return jumps_; }

 private:
  static constexpr Nanos kJump{1'000'000'000};
  static constexpr std::int64_t kSlewDivisor = 2000;

  Nanos steady_;       // of the last reading
  Time time_;          // given out for it
  Nanos wall_offset_;  // wall minus steady, at the last reading
  std::uint64_t jumps_ = 0;
};

// What SystemClock asks the machine to sleep for. None for a length of zero or less: the machine
// refuses those below zero, and SystemClock would ask again for ever.
std::optional<timespec> SleepRequest(Nanos length);

}  // namespace sluice
