// MakeLimit: all checks of a limit, whatever form it was configured in.
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/enum_name.h"
#include "base/int128.h"
#include "base/text.h"
#include "core/limit/limit.h"
#include "core/limit/limit_defaults.h"
#include "core/limit/limit_keys.h"
#include "core/limit/limit_words.h"
#include "core/limit/rate.h"

namespace sluice {
namespace {

using Made = std::variant<Terms, LimitError>;
using Fault = std::optional<LimitError>;

constexpr std::int64_t kMaxBuckets = 100'000;

// The maximum number of tokens an interval bucket may be short of. It is far below 2^63, so that a
// cost can be added.
constexpr std::int64_t kMaxUsed = 4 * kMaxUnits;

struct Least {
  std::int64_t units = 0;
};

// Returns the error for a key, with a message made of the parts.
template <typename... Parts>
LimitError At(std::string_view key, const Parts&... message) {
  return {std::string(key), Concat(message...)};
}

Fault CheckUnits(std::string_view key, std::int64_t units, Least min) {
  if (units < min.units) {
    return At(key, Quoted(key), " must be at least ", min.units, ", found ", units);
  }
  if (units > kMaxUnits) {
    return At(key, Quoted(key), " must be at most ", kMaxUnits, ", found ", units);
  }
  return std::nullopt;
}

Fault CheckLength(std::string_view key, const std::optional<Nanos>& length) {
  if (!length) return std::nullopt;
  if (*length < Nanos{0}) return At(key, Quoted(key), " must not be negative");
  if (*length > kLongestSpan) return At(key, Quoted(key), " must be at most 100 years");
  return std::nullopt;
}

Fault CheckLengths(const LimitSpec& spec) {
  if (Fault fault = CheckLength("max_wait", spec.max_wait)) return fault;
  if (Fault fault = CheckLength("min_gap", spec.min_gap)) return fault;
  if (Fault fault = CheckLength("warm_up", spec.warm_up)) return fault;
  if (Fault fault = CheckLength("ttl", spec.ttl)) return fault;
  return std::nullopt;
}

// Checks enums, because a C++ caller can set them to any number.
Fault CheckWords(const LimitSpec& spec) {
  if (WordOf(spec.algorithm).empty()) return At("algorithm", "there is no such algorithm");
  if (spec.refill && WordOf(*spec.refill).empty()) return At("refill", "there is no such refill");
  if (spec.window && WordOf(*spec.window).empty()) return At("window", "there is no such window");
  if (spec.oldest && WordOf(*spec.oldest).empty()) return At("oldest", "there is no such oldest");
  return std::nullopt;
}

Fault CheckRate(const LimitSpec& spec) {
  if (spec.algorithm == Algorithm::kConcurrency) return std::nullopt;
  if (!spec.rate) return At("rate", "a limit needs a 'rate' such as 100/m");
  const Rate& rate = *spec.rate;
  if (rate.count == 0 && spec.algorithm != Algorithm::kFixedWindow) {
    return At("rate", "a count of 0, which blocks, is for fixed_window alone; expected at least 1");
  }
  if (rate.count < 0 || rate.count > kMaxUnits) {
    return At("rate", "the count must be from 0 to ", kMaxUnits, ", found ", rate.count);
  }
  if (rate.period <= Nanos{0}) return At("rate", "the period must be above 0");
  if (rate.period > kLongestSpan) return At("rate", "the period must be at most 100 years");
  if (rate.unit && LengthOf(*rate.unit) != rate.period) {
    return At("rate", "the period must be as long as its unit, ",
              FormatDuration(LengthOf(*rate.unit)));
  }
  return std::nullopt;
}

Fault CheckFraction(std::string_view key, const std::optional<Fraction>& number) {
  if (!number) return std::nullopt;
  if (number->denominator <= 0 || number->numerator < 0) {
    return At(key, Quoted(key), " must not be negative");
  }
  if (static_cast<Uint128>(number->numerator) >
      static_cast<Uint128>(number->denominator) * static_cast<Uint128>(kMaxUnits)) {
    return At(key, Quoted(key), " must be at most ", kMaxUnits);
  }
  // A limit must be writable in every form, and text forms have at most 18 decimals.
  if (!ToDecimal(*number)) return At(key, Quoted(key), " must have at most 18 decimals");
  return std::nullopt;
}

// Reduces the fraction, so that equal numbers compare equal.
void Reduce(std::optional<Fraction>& number) {
  if (!number) return;
  const std::int64_t divisor = std::gcd(number->numerator, number->denominator);
  *number = {number->numerator / divisor, number->denominator / divisor};
}

// Returns the key to report for a product that is too large: the one the user most likely wants to
// change.
std::string_view BlameFor(const LimitSpec& spec) {
  if (spec.burst) return "burst";
  return spec.max_wait ? "max_wait" : "rate";
}

// Returns whether `ticks` of the interval plus max_wait fit kLongestSpan.
bool FitsSpan(const Interval& interval, Uint128 ticks, Nanos max_wait) {
  return ticks <= TicksOf(interval, kLongestSpan - max_wait);
}

Fault CheckRepresentable(const Rate& rate) {
  if (RateIsRepresentable(rate)) return std::nullopt;
  return At("rate", "the rate must be below 46 million million units a nanosecond");
}

// Returns the burst of a bucket, which must be whole; COUNT if it is not set.
std::variant<std::int64_t, LimitError> WholeBurst(const LimitSpec& spec, Least min) {
  if (!spec.burst) return spec.rate->count;
  if (spec.burst->denominator != 1) return At("burst", "'burst' must be a whole number");
  if (Fault fault = CheckUnits("burst", spec.burst->numerator, min)) return *fault;
  return spec.burst->numerator;
}

Made MakeIntervalBucket(const LimitSpec& spec, std::int64_t burst) {
  const Rate& rate = *spec.rate;
  const Nanos max_wait = spec.max_wait.value_or(Nanos{0});
  const auto count = static_cast<std::uint64_t>(rate.count);
  const Uint128 periods = DivCeil(static_cast<Uint128>(burst), count);
  if (periods * static_cast<Uint128>(rate.period.count()) >
      static_cast<Uint128>((kLongestSpan - max_wait).count())) {
    return At(BlameFor(spec),
              "the time to refill the whole burst, plus max_wait, must be at most 100 years");
  }
  const auto refills = static_cast<Uint128>(max_wait / rate.period) + 1;
  if (static_cast<Uint128>(burst) + refills * count > static_cast<Uint128>(kMaxUsed)) {
    return At("max_wait", "what comes back within 'max_wait' must be at most ", kMaxUsed, " units");
  }
  const auto phase =
      spec.aligned.value_or(false) ? RefillPhase::kAligned : RefillPhase::kFromFirstCharge;
  return Terms{IntervalBucket{rate, burst, max_wait, phase}};
}

Made MakeTokenBucket(const LimitSpec& spec) {
  const auto burst = WholeBurst(spec, Least{1});
  if (const auto* fault = std::get_if<LimitError>(&burst)) return *fault;
  const std::int64_t units = *std::get_if<std::int64_t>(&burst);
  if (spec.refill == Refill::kInterval) return MakeIntervalBucket(spec, units);
  if (Fault fault = CheckRepresentable(*spec.rate)) return *fault;
  const TokenBucket terms{MakeInterval(*spec.rate), units, spec.max_wait.value_or(Nanos{0})};
  if (!FitsSpan(terms.interval, TicksOf(terms.interval, units), terms.max_wait)) {
    return At(BlameFor(spec), "burst times PERIOD/COUNT, plus max_wait, must be at most 100 years");
  }
  return Terms{terms};
}

Made MakeLeakyBucket(const LimitSpec& spec) {
  const auto burst = WholeBurst(spec, Least{0});
  if (const auto* fault = std::get_if<LimitError>(&burst)) return *fault;
  const std::int64_t delay_after = spec.delay_after.value_or(0);
  if (Fault fault = CheckUnits("delay_after", delay_after, Least{0})) return *fault;
  if (Fault fault = CheckRepresentable(*spec.rate)) return *fault;
  const LeakyBucket terms{MakeInterval(*spec.rate), *std::get_if<std::int64_t>(&burst), delay_after,
                          spec.max_wait.value_or(kLongestSpan)};
  if (!FitsSpan(terms.interval, TicksOf(terms.interval, terms.burst + 1), Nanos{0})) {
    return At(spec.burst ? "burst" : "rate",
              "burst + 1 times PERIOD/COUNT must be at most 100 years");
  }
  return Terms{terms};
}

std::shared_ptr<const Zone> FindZone(const std::string& name, const ZoneSource& zones) {
  std::shared_ptr<const Zone> zone = zones ? zones(name) : nullptr;
  // UTC is the default, so it must exist even if the source does not have it.
  if (zone == nullptr && name == kZoneUnlessSaid) {
    zone = std::make_shared<const Zone>(Zone{name, 0, {}});
  }
  return zone;
}

Made MakeFixedWindow(const LimitSpec& spec, const ZoneSource& zones) {
  FixedWindow terms;
  terms.rate = *spec.rate;
  terms.window = spec.window.value_or(WindowKind::kAligned);
  if (spec.count_refused.value_or(false)) terms.count_refused = Refused::kRecord;
  if (terms.window != WindowKind::kCalendar) return Terms{terms};
  if (!spec.rate->unit) {
    return At("rate", "window: calendar needs a period of h, d, w, month or year without a number");
  }
  const std::string name = spec.zone.value_or(kZoneUnlessSaid);
  terms.unit = *spec.rate->unit;
  terms.zone = FindZone(name, zones);
  if (terms.zone == nullptr) return At("zone", "unknown time zone ", Quoted(name));
  return Terms{terms};
}

Made MakeSlidingLog(const LimitSpec& spec) {
  SlidingLog terms{*spec.rate, spec.min_gap.value_or(Nanos{0})};
  if (spec.count_refused.value_or(false)) terms.count_refused = Refused::kRecord;
  if (terms.min_gap > spec.rate->period) {
    return At("min_gap", "'min_gap' must be at most the period, ",
              FormatDuration(spec.rate->period));
  }
  return Terms{terms};
}

Made MakeSlidingWindow(const LimitSpec& spec) {
  if (spec.rate->period > kLongestSpan / 2) {
    return At("rate", "the period of a sliding_window must be at most 50 years");
  }
  return Terms{SlidingWindow{*spec.rate}};
}

// Returns the largest number, at most `buckets`, that divides the period into whole nanoseconds.
std::int64_t NearestBuckets(Nanos period, std::int64_t buckets) {
  while (period.count() % buckets != 0) --buckets;
  return buckets;
}

Made MakeSlidingBuckets(const LimitSpec& spec) {
  const Nanos period = spec.rate->period;
  const std::int64_t buckets = spec.buckets.value_or(kBucketsUnlessSaid);
  if (buckets < 1 || buckets > kMaxBuckets) {
    return At("buckets", "'buckets' must be from 1 to ", kMaxBuckets, ", found ", buckets);
  }
  if (period.count() % buckets != 0) {
    return At("buckets", "'buckets' is ", buckets, spec.buckets ? "," : " unless written,",
              " which does not cut ", FormatDuration(period),
              " into whole nanoseconds; write buckets: ", NearestBuckets(period, buckets));
  }
  if (period + period / buckets > kLongestSpan) {
    return At("rate", "the period plus one of its buckets must be at most 100 years");
  }
  return Terms{SlidingBuckets{*spec.rate, static_cast<std::int32_t>(buckets),
                              spec.oldest.value_or(OldestPart::kStrict)}};
}

double ToDouble(const Fraction& number) {
  return static_cast<double>(number.numerator) / static_cast<double>(number.denominator);
}

Made MakeWarmUpPacer(const LimitSpec& spec) {
  const Fraction cold = spec.cold_factor.value_or(kColdFactorUnlessSaid);
  if (cold.numerator < cold.denominator) {
    return At("cold_factor", "'cold_factor' must be at least 1, found ", Format(*ToDecimal(cold)));
  }
  WarmUpPacer terms;
  terms.stable_ns =
      static_cast<double>(spec.rate->period.count()) / static_cast<double>(spec.rate->count);
  terms.warm_up = *spec.warm_up;
  terms.cold_factor = ToDouble(cold);
  terms.max_wait = spec.max_wait.value_or(Nanos{0});
  if (terms.warm_up > kLongestSpan - terms.max_wait) {
    return At("warm_up", "'warm_up' plus max_wait must be at most 100 years");
  }
  return Terms{terms};
}

Made MakePacer(const LimitSpec& spec) {
  if (Fault fault = CheckRepresentable(*spec.rate)) return *fault;
  if (spec.warm_up.value_or(Nanos{0}) > Nanos{0}) return MakeWarmUpPacer(spec);
  Pacer terms;
  terms.interval = MakeInterval(*spec.rate);
  terms.max_wait = spec.max_wait.value_or(Nanos{0});
  terms.burst_ticks = TicksOf(terms.interval, Nanos{std::chrono::seconds{1}});
  if (spec.burst) {
    // Rounded down, so that it is never more than configured.
    terms.burst_ticks = DivFloor(TicksOf(terms.interval, spec.burst->numerator),
                                 static_cast<std::uint64_t>(spec.burst->denominator));
  }
  if (!FitsSpan(terms.interval, terms.burst_ticks, terms.max_wait)) {
    return At(BlameFor(spec), "burst times PERIOD/COUNT, plus max_wait, must be at most 100 years");
  }
  return Terms{terms};
}

Made MakeConcurrency(const LimitSpec& spec) {
  if (!spec.max_in_flight) {
    return At("max_in_flight", "a concurrency limit needs 'max_in_flight'");
  }
  if (Fault fault = CheckUnits("max_in_flight", *spec.max_in_flight, Least{1})) return *fault;
  const Nanos ttl = spec.ttl.value_or(kTtlUnlessSaid);
  if (ttl <= Nanos{0}) return At("ttl", "'ttl' must be above 0");
  return Terms{Concurrency{*spec.max_in_flight, ttl}};
}

Made MakeTerms(const LimitSpec& spec, const ZoneSource& zones) {
  switch (spec.algorithm) {
    case Algorithm::kTokenBucket:
      return MakeTokenBucket(spec);
    case Algorithm::kLeakyBucket:
      return MakeLeakyBucket(spec);
    case Algorithm::kFixedWindow:
      return MakeFixedWindow(spec, zones);
    case Algorithm::kSlidingLog:
      return MakeSlidingLog(spec);
    case Algorithm::kSlidingWindow:
      return MakeSlidingWindow(spec);
    case Algorithm::kSlidingBuckets:
      return MakeSlidingBuckets(spec);
    case Algorithm::kPacer:
      return MakePacer(spec);
    case Algorithm::kConcurrency:
      break;
  }
  return MakeConcurrency(spec);
}

Fault CheckSpec(const LimitSpec& spec) {
  if (Fault fault = CheckWords(spec)) return fault;
  if (Fault fault = FindStrayKey(spec)) return fault;
  if (Fault fault = CheckRate(spec)) return fault;
  if (Fault fault = CheckLengths(spec)) return fault;
  if (Fault fault = CheckFraction("burst", spec.burst)) return fault;
  return CheckFraction("cold_factor", spec.cold_factor);
}

}  // namespace

std::variant<Limit, LimitError> MakeLimit(const LimitSpec& spec, const ZoneSource& zones) {
  if (Fault fault = CheckSpec(spec)) return *std::move(fault);
  LimitSpec reduced = spec;
  Reduce(reduced.burst);
  Reduce(reduced.cold_factor);
  Made made = MakeTerms(reduced, zones);
  if (auto* fault = std::get_if<LimitError>(&made)) return std::move(*fault);
  return Limit{std::move(reduced), std::move(*std::get_if<Terms>(&made))};
}

}  // namespace sluice
