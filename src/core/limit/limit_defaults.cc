#include "core/limit/limit_defaults.h"

#include <numeric>
#include <optional>

#include "base/decimal.h"
#include "base/int128.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

template <typename T, typename U>
void Default(std::optional<T>& member, const U& value) {
  if (!member) member = value;
}

// Returns the units that come back per second, the default burst of a pacer, or nothing if the
// number is too large or cannot be written as a decimal.
std::optional<Fraction> UnitsOfASecond(const Rate& rate) {
  constexpr std::int64_t kSecond = Nanos(std::chrono::seconds{1}).count();
  const std::int64_t period = rate.period.count();
  const std::int64_t shared = std::gcd(kSecond, period);
  const Int128 units = static_cast<Int128>(rate.count) * (kSecond / shared);
  if (units > kMaxUnits) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(units);
  const std::int64_t divisor = std::gcd(whole, period / shared);
  const Fraction burst{whole / divisor, period / shared / divisor};
  return ToDecimal(burst) ? std::optional(burst) : std::nullopt;
}

void FillTokenBucket(LimitSpec& spec) {
  Default(spec.burst, spec.rate->count);
  Default(spec.refill, Refill::kGreedy);
  if (spec.refill == Refill::kInterval) Default(spec.aligned, false);
  Default(spec.max_wait, Nanos{0});
}

void FillFixedWindow(LimitSpec& spec) {
  Default(spec.window, WindowKind::kAligned);
  if (spec.window == WindowKind::kCalendar) Default(spec.zone, kZoneUnlessSaid);
  Default(spec.count_refused, false);
}

void FillPacer(LimitSpec& spec) {
  Default(spec.warm_up, Nanos{0});
  Default(spec.max_wait, Nanos{0});
  if (*spec.warm_up > Nanos{0}) {
    Default(spec.cold_factor, kColdFactorUnlessSaid);
  } else if (!spec.burst) {
    spec.burst = UnitsOfASecond(*spec.rate);
  }
}

}  // namespace

LimitSpec WithDefaults(const LimitSpec& spec) {
  LimitSpec full = spec;
  switch (spec.algorithm) {
    case Algorithm::kTokenBucket:
      FillTokenBucket(full);
      break;
    case Algorithm::kLeakyBucket:
      Default(full.burst, full.rate->count);
      Default(full.delay_after, 0);
      break;
    case Algorithm::kFixedWindow:
      FillFixedWindow(full);
      break;
    case Algorithm::kSlidingLog:
      Default(full.count_refused, false);
      Default(full.min_gap, Nanos{0});
      break;
    case Algorithm::kSlidingWindow:
      break;
    case Algorithm::kSlidingBuckets:
      Default(full.buckets, kBucketsUnlessSaid);
      Default(full.oldest, OldestPart::kStrict);
      break;
    case Algorithm::kPacer:
      FillPacer(full);
      break;
    case Algorithm::kConcurrency:
      Default(full.ttl, kTtlUnlessSaid);
      break;
  }
  return full;
}

}  // namespace sluice
