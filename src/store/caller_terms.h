// CallerTerms: token bucket terms that the caller sends with a charge.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/limit/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "store/registered_limit.h"

namespace sluice {

// The terms of one charge, with everything that deciding needs precomputed. The store does not keep
// them: a state is only the time at which the bucket is full again, which means the same under all
// terms, so callers may send any number of different terms. A key that is charged under other terms
// continues from its stored time.
//
// Thread safety: immutable. Ownership: must outlive the call it is used in.
//
// Rounding: as Interval, but never finer than 1/256 ns, so that all states fit one table. A rate
// without an exact interval of that kind is rounded to a slower one. When a key is charged under
// terms with another denominator, its time is rounded up, by less than a nanosecond.
class CallerTerms {
 public:
  // The maximum rate that is accepted, in units per second.
  static constexpr std::int64_t kMaxPerSecond = 1'000'000'000;

  // Returns an error if the numbers make no valid limit, if the rate exceeds kMaxPerSecond, or if a
  // full burst takes longer than a year of 365 days to refill.
  static Result<CallerTerms> Make(Rate rate, std::int64_t burst);

  [[nodiscard]] const PreparedTerms& prepared() const { return prepared_; }

  // The terms id in a slot encodes the denominator of its time (256 is stored as 0).
  static constexpr std::uint8_t IdOf(std::uint64_t ticks_per_ns) {
    return static_cast<std::uint8_t>(ticks_per_ns);
  }
  static constexpr std::uint64_t TicksPerNs(std::uint8_t id) {
    return id == 0 ? kMaxTicksPerNs : id;
  }

 private:
  static constexpr std::uint64_t kMaxTicksPerNs = 256;

  explicit CallerTerms(PreparedTerms prepared) : prepared_(std::move(prepared)) {}

  PreparedTerms prepared_;
};

// One charge with its own terms. The key may be any bytes; it is read only during the call.
struct CallerCharge {
  const CallerTerms* terms = nullptr;
  std::string_view key;
  Cost cost{};
};

// Converts a time to another number of ticks per nanosecond, rounded up.
constexpr FineTime Rescale(FineTime time, std::uint64_t from_per_ns, std::uint64_t to_per_ns) {
  const std::uint64_t fraction = (time.fraction * to_per_ns + from_per_ns - 1) / from_per_ns;
  if (fraction < to_per_ns) return {time.whole, fraction};
  return {time.whole + Nanos{1}, 0};
}

}  // namespace sluice
