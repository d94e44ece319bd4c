#include <algorithm>

#include "limiter/system_clock.h"

namespace sluice {

Time SlewedTime::At(const ClockReading& reading) {
  const Nanos passed = reading.steady - steady_;
  const Nanos offset = reading.wall - Time{reading.steady};
  if (offset - wall_offset_ > kJump || wall_offset_ - offset > kJump) ++jumps_;
  wall_offset_ = offset;
  steady_ = reading.steady;
  time_ += passed;
  const Nanos behind = reading.wall - time_;
  const Nanos max = passed / kSlewDivisor;
  time_ += std::clamp(behind, -max, max);
  return time_;
}

}  // namespace sluice
