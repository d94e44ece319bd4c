// Subject: a limit that is measured, and the key set it is measured on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/step_clock.h"
#include "sluice/limiter.h"

namespace sluice::bench {

// A limit to measure. Terms depend on the number of keys where states age with traffic.
struct Subject {
  std::string name;
  std::uint64_t keys_most;  // larger states are measured on fewer keys
  LimitSpec (*spec)(std::uint64_t keys);
  bool permits = false;  // acquire and release, which have no batch form
  bool ages = false;     // charges leave the state while measuring
  Nanos jump{0};         // time that passes between filling and measuring
};

// Charges of one key that are in view on average, for a subject that ages.
inline constexpr std::uint64_t kChargesInView = 4;

// The limits of the table, in its order.
std::span<const Subject> AllSubjects();

// The subjects of single rows: every check refused, and time read from the machine.
const Subject& RefusingSubject();
const Subject& SlowSubject();

// Bytes per key: as the store counts them, and as the process grew from the empty limiter on.
struct Footprint {
  double bytes = 0;
  double resident = 0;
  // Greatest while growing, from half of the keys on: a table that doubled would do so once then.
  double bytes_peak = 0;
  double resident_peak = 0;
  double adds = 0;  // keys added per second of CPU time
};

// A limiter that holds a state for each of so many keys.
//
// Thread safety: the limiter's own. Ownership: owns limiter and clock.
class Filled {
 public:
  // `time`: where the limiter's time comes from.
  enum class TimeFrom : std::uint8_t { kSteps, kMachine };

  // Creates the limiter and charges every key once, in batches, from all cores.
  static Result<std::unique_ptr<Filled>> Make(const Subject& subject, std::uint64_t keys,
                                              TimeFrom time);

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] std::uint64_t keys() const { return keys_; }
  [[nodiscard]] Limiter& limiter() { return *limiter_; }
  [[nodiscard]] StepClock& clock() { return clock_; }
  [[nodiscard]] LimitHandle handle() const { return handle_; }

  // What the process grew by for a limiter without keys.
  [[nodiscard]] std::uint64_t empty_bytes() const { return empty_bytes_; }

  // The footprint now; peaks are those of the filling.
  [[nodiscard]] Footprint Measure() const;

 private:
  Filled(const Subject& subject, std::uint64_t keys) : subject_(subject), keys_(keys) {}

  void Fill();
  // Both return seconds of CPU time.
  double ChargeFrom(std::uint64_t first, std::uint64_t last);
  double ChargeFromAllCores(std::uint64_t first, std::uint64_t last);
  void Sample();

  const Subject& subject_;
  std::uint64_t keys_;
  std::uint64_t resident_before_ = 0;  // of the process, with an empty limiter
  std::uint64_t empty_bytes_ = 0;
  StepClock clock_;
  std::unique_ptr<Limiter> limiter_;
  LimitHandle handle_;
  Footprint peak_;
};

// Bytes to allow a limiter for so many keys: enough that its cap plays no part.
std::uint64_t MemoryFor(const Subject& subject, std::uint64_t keys);

}  // namespace sluice::bench
