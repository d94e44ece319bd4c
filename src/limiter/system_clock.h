// SystemClock: the machine's clock, and the only code that reads it.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>

#include "sluice/clock.h"

namespace sluice {

// Readings of the two clocks that a SystemClock is made from.
struct ClockReading {
  Nanos steady{0};  // never steps; continues while the machine is suspended
  Time wall{};      // steps when it is set
};

// Follows the steady clock from the wall time at construction, slewed towards wall time.
//
// Pure: readings are passed in. Thread safety: none; SystemClock guards it.
//
// Invariants
//   (1) Time never goes back while the steady clock does not.
//   (2) Over any interval, time passes at 1999/2000 to 2001/2000 of the steady clock's speed.
//   (3) If the difference between the clocks changed by more than kJump since the last reading,
//       that is a jump: it is counted, and time moves towards the wall clock at the same slew.
class SlewedTime {
 public:
  explicit SlewedTime(const ClockReading& first)
      : steady_(first.steady), time_(first.wall), wall_offset_(first.wall - Time{first.steady}) {}

  // Returns the time at a reading. REQUIRES: reading.steady is not before the last one.
  Time At(const ClockReading& reading);

  [[nodiscard]] std::uint64_t JumpsForTest() const { return jumps_; }

 private:
  static constexpr Nanos kJump{1'000'000'000};
  static constexpr std::int64_t kSlewDivisor = 2000;

  Nanos steady_;       // at the last reading
  Time time_;          // the result for the last reading
  Nanos wall_offset_;  // wall minus steady, at the last reading
  std::uint64_t jumps_ = 0;
};

// Returns the sleep to request from the system, or none for a length of zero or less: the system
// rejects negative lengths, and SystemClock would retry forever.
std::optional<timespec> SleepRequest(Nanos length);

}  // namespace sluice
