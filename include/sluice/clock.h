// Clock: where time comes from. Passed in, so that tests say what time it is.
#pragma once

#include <memory>

#include "sluice/time.h"

namespace sluice {

// A source of time. Implementations must be safe to call from any thread.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  // The time now. May step back; a limiter takes an earlier time as the latest it has seen.
  [[nodiscard]] virtual Time Now() = 0;

  // Returns once `length` has passed. A length of 0 or less returns at once.
  virtual void SleepFor(Nanos length) = 0;
};

// The machine's clock: wall time when it was made plus a clock that never steps (and goes on while
// the machine is suspended), slewed by at most one part in two thousand towards wall time. A jump
// of the wall clock neither freezes nor skips time.
std::unique_ptr<Clock> MakeSystemClock();

}  // namespace sluice
