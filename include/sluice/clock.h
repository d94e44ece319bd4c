// Clock: the source of time. It is passed in, so that tests control the time.
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

  // Returns the current time. It may step back; a limiter then uses the latest time it has seen.
  [[nodiscard]] virtual Time Now() = 0;

  // Returns once `length` has passed. A length of 0 or less returns at once.
  virtual void SleepFor(Nanos length) = 0;
};

// Returns the machine's clock: the wall time at its creation plus a clock that never steps (and
// runs while the machine is suspended), slewed towards wall time by at most one part in 2,000. A
// jump of the wall clock neither freezes nor skips time.
std::unique_ptr<Clock> MakeSystemClock();

}  // namespace sluice
