// Subject: a limit to measure, and the filled limiter it is measured on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/step_clock.h"
#include "sluice/limiter.h"

namespace sluice::bench {

// A limit to measure. Its terms depend on the number of keys if its states age with traffic.
struct Subject {
  std::string name;
  std::uint64_t max_keys;  // subjects with large states use fewer keys
  LimitSpec (*spec)(std::uint64_t keys);
  bool permits = false;  // uses Acquire and Release, which have no batch form
  bool ages = false;     // charges expire while measuring
  Nanos jump{0};         // time that passes between filling and measuring
};

// The average number of unexpired charges per key, for a subject that ages.
inline constexpr std::uint64_t kChargesInView = 4;

// Returns the limits of the table, in its order.
std::span<const Subject> AllSubjects();

// Return the subjects of two special rows: every check refused, and time read from the machine.
const Subject& RefusingSubject();
const Subject& SlowSubject();

// Bytes per key: by the store's own count, and by the growth of the process since the empty
// limiter.
struct Footprint {
  double bytes = 0;
  double resident = 0;
  // Maxima while growing, sampled from half of the keys on, where a table that doubles would do so
  // once.
  double bytes_peak = 0;
  double resident_peak = 0;
  double adds = 0;  // keys added per second of CPU time
};

// A limiter that holds a state for each of `keys` keys.
//
// Thread safety: that of the limiter. Ownership: owns limiter and clock.
class Filled {
 public:
  // The source of the limiter's time.
  enum class TimeFrom : std::uint8_t { kSteps, kMachine };

  // Creates the limiter and charges every key once, in batches, from all cores.
  static Result<std::unique_ptr<Filled>> Make(const Subject& subject, std::uint64_t keys,
                                              TimeFrom time);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] std::uint64_t keys() const { return keys_; }
  [[nodiscard]] Limiter& limiter() { return *limiter_; }
  [[nodiscard]] StepClock& clock() { return clock_; }
  [[nodiscard]] LimitHandle handle() const { return handle_; }

  // The growth of the process for a limiter without keys.
  [[nodiscard]] std::uint64_t empty_bytes() const { return empty_bytes_; }

  // Returns the current footprint; its peaks are those reached while filling.
  [[nodiscard]] Footprint Measure() const;

 private:
  Filled(const Subject& subject, std::uint64_t keys) : subject_(subject), keys_(keys) {}

  void Fill();
  // Both charge the keys first .. last - 1 and return the CPU seconds used.
  double ChargeFrom(std::uint64_t first, std::uint64_t last);
  double ChargeFromAllCores(std::uint64_t first, std::uint64_t last);
  void Sample();

  const Subject& subject_;
  std::uint64_t keys_;
  // VmRSS of the process with an empty limiter.
  std::uint64_t resident_before_ = 0;
  std::uint64_t empty_bytes_ = 0;
  StepClock clock_;
  std::unique_ptr<Limiter> limiter_;
  LimitHandle handle_;
  Footprint peak_;
};

// Returns the memory limit for a limiter with this many keys, high enough to have no effect.
std::uint64_t MemoryFor(const Subject& subject, std::uint64_t keys);

}  // namespace sluice::bench
