// FakeClock: a clock that the test sets, so that no test has to wait for time to pass.
#pragma once

#include <mutex>
#include <vector>

#include "sluice/clock.h"
#include "sluice/time.h"

namespace sluice::testing {

// Thread safety: every method may be called from any thread.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time now = {}) : now_(now) {}

  [[nodiscard]] Time Now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  // Advances the clock at once and records the length.
  void SleepFor(Nanos length) override {
    if (length <= Nanos{0}) return;
    const std::lock_guard lock(mutex_);
    now_ += length;
    sleeps_.push_back(length);
  }

  // Sets the clock, which may also step back.
  void Set(Time now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

  void Advance(Nanos length) {
    const std::lock_guard lock(mutex_);
    now_ += length;
  }

  // Returns the lengths of all sleeps, in order.
  [[nodiscard]] std::vector<Nanos> Sleeps() const {
    const std::lock_guard lock(mutex_);
    return sleeps_;
  }

 private:
  mutable std::mutex mutex_;
  Time now_;
  std::vector<Nanos> sleeps_;
};

}  // namespace sluice::testing
