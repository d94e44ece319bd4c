// FakeClock: a clock that shows what it is told, so that no test has to let time pass.
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

  // Moves the clock on at once, and remembers for how long it was asked to sleep.
  void SleepFor(Nanos length) override {
    if (length <= Nanos{0}) return;
    const std::lock_guard lock(mutex_);
    now_ += length;
    sleeps_.push_back(length);
  }

  // May step back: that is one of the things to test.
  void Set(Time now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
  }

  void Advance(Nanos length) {
    const std::lock_guard lock(mutex_);
    now_ += length;
  }

  // Every sleep so far, in order.
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
