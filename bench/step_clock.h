// StepClock: a clock that costs nothing to read, so that the limiter is measured and not the clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "sluice/clock.h"

namespace sluice::bench {

// Each reading is one step later than the previous one on the same thread. A thread that joins
// starts at the latest time at which any thread has left. A step is one nanosecond per decision, so
// that time passes equally fast with single calls, batches and several threads.
//
// Thread safety: a thread must call Join before it reads the clock, and may use only one StepClock
// at a time.
class StepClock final : public Clock {
 public:
  // A multiple of every window of the benchmark, so that a window begins at this time.
  static constexpr Time kStart{Nanos{1'700'000'000'000'000'000}};

  Time Now() override {
    now_ += step_;
    return Time{Nanos{now_}};
  }
  void SleepFor(Nanos length) override { now_ += length.count(); }

  void Join(Nanos step) {
    now_ = latest_.load(std::memory_order_acquire);
    step_ = step.count();
  }
  void Leave() {
    std::int64_t latest = latest_.load(std::memory_order_relaxed);
    while (now_ > latest && !latest_.compare_exchange_weak(latest, now_)) {
    }
  }

 private:
  static inline thread_local std::int64_t now_ = 0;
  static inline thread_local std::int64_t step_ = 1;

  std::atomic<std::int64_t> latest_{kStart.time_since_epoch().count()};
};

}  // namespace sluice::bench
