#include "limiter/system_clock.h"

#include <ctime>
#include <memory>
#include <mutex>

namespace sluice {
namespace {

Nanos Read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return Nanos{std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec};
}

ClockReading ReadBoth() { return {Read(CLOCK_BOOTTIME), Time{Read(CLOCK_REALTIME)}}; }

// Between two readings of the wall clock, Now needs only the steady clock and no lock.
class SystemClock final : public Clock {
 public:
  SystemClock() : SystemClock(ReadBoth()) {}

  Time Now() override {
    const Nanos steady = Read(CLOCK_BOOTTIME);
    if ((steady - last_look_.load(std::memory_order_relaxed)) > kLookEvery) Look();
    const Nanos offset = offset_.load(std::memory_order_relaxed);
    return Time{steady} + offset;
  }

  void SleepFor(Nanos length) override {
    std::optional<timespec> left = SleepRequest(length);
    while (left && clock_nanosleep(CLOCK_BOOTTIME, 0, &*left, &*left) != 0) {
    }
  }

 private:
  // Slewing by 1/2000 of this moves time by 5 microseconds per reading.
  static constexpr Nanos kLookEvery{10'000'000};

  explicit SystemClock(const ClockReading& first)
      : slewed_(first), last_look_(first.steady), offset_(first.wall - Time{first.steady}) {}

  void Look() {
    const std::unique_lock guard(mutex_, std::try_to_lock);
    if (!guard.owns_lock()) return;
    const ClockReading reading = ReadBoth();
    offset_.store(slewed_.At(reading) - Time{reading.steady}, std::memory_order_relaxed);
    last_look_.store(reading.steady, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  SlewedTime slewed_;  // guarded by mutex_
  std::atomic<Nanos> last_look_;
  std::atomic<Nanos> offset_;  // time minus steady clock; relaxed because any recent value will do
};

}  // namespace

std::optional<timespec> SleepRequest(Nanos length) {
  if (length <= Nanos{0}) return std::nullopt;
  return timespec{static_cast<time_t>(length.count() / 1'000'000'000),
                  static_cast<long>(length.count() % 1'000'000'000)};  // NOLINT(google-runtime-int)
}

std::unique_ptr<Clock> MakeSystemClock() { return std::make_unique<SystemClock>(); }

}  // namespace sluice
