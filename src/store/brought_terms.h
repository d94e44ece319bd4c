// BroughtTerms: terms of a token bucket that come with a charge.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "core/interval.h"
#include "sluice/decision.h"
#include "sluice/limit.h"
#include "sluice/result.h"
#include "store/registered_limit.h"

namespace sluice {

// The terms of one charge, with all that deciding needs worked out. The store keeps none of them:
// a state is the time at which the bucket is full again, which means the same under all terms, so
// callers may bring as many different ones as they like. The same key under other terms goes on
// from its time.
//
// Thread safety: immutable. Ownership: outlives the call it is used in, no more.
//
// Rounding: as Interval, but never finer than 1/256 ns, so that all states fit one table. A rate
// that has no such interval is rounded to a slower one; the time of a key that goes on under terms
// of another denominator is rounded up, by less than a nanosecond.
class BroughtTerms {
 public:
  // The most units a second that are accepted.
  static constexpr std::int64_t kPerSecondMost = 1'000'000'000;

  // An error if the numbers make no limit, come to more than kPerSecondMost, or take longer than a
  // year of 365 days to come back whole.
  static Result<BroughtTerms> Make(Rate rate, std::int64_t burst);

  [[nodiscard]] const PreparedTerms& prepared() const { return prepared_; }

  // The id under which slots are written names the denominator.
  static constexpr std::uint8_t IdOf(std::uint64_t ticks_per_ns) {
    return static_cast<std::uint8_t>(ticks_per_ns);
  }
  static constexpr std::uint64_t TicksPerNs(std::uint8_t id) {
    return id == 0 ? kTicksPerNsMost : id;
  }

 private:
  static constexpr std::uint64_t kTicksPerNsMost = 256;

  explicit BroughtTerms(PreparedTerms prepared) : prepared_(std::move(prepared)) {}

  PreparedTerms prepared_;
};

// One charge under terms of its own. The key is any bytes; it is read during the call.
struct BroughtCharge {
  const BroughtTerms* terms = nullptr;
  std::string_view key;
  Cost cost{};
};

// The same point in time in other ticks, rounded up.
constexpr FineTime Rescale(FineTime time, std::uint64_t from_per_ns, std::uint64_t to_per_ns) {
  const std::uint64_t fraction = (time.fraction * to_per_ns + from_per_ns - 1) / from_per_ns;
  if (fraction < to_per_ns) return {time.whole, fraction};
  return {time.whole + Nanos{1}, 0};
}

}  // namespace sluice
