// LimitSpec: a limit as a person writes it, before it is checked.
//
//   LimitSpec{.rate = {100, 1min}}                              100 a minute
//   LimitSpec{.rate = {100, 1min}, .burst = 20}                 the same, at most 20 at once
//   LimitSpec{.algorithm = Algorithm::kSlidingLog, .rate = {5, 1s}}
//
// The string and mapping forms of rule files and the command line are read by ParseLimit into
// this, and everything is checked in one place, MakeLimit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/time.h"

namespace sluice {

enum class Algorithm : std::uint8_t {
  kTokenBucket,     // burst, refill, aligned, max_wait
  kLeakyBucket,     // burst, delay_after, max_wait
  kFixedWindow,     // window, zone, count_refused
  kSlidingLog,      // count_refused, min_gap
  kSlidingWindow,   //
  kSlidingBuckets,  // buckets, oldest
  kPacer,           // burst, warm_up, cold_factor, max_wait
  kConcurrency,     // max_in_flight, ttl; no rate
};

// token_bucket: how tokens come back.
enum class Refill : std::uint8_t { kGreedy, kInterval };

// Interval refill: what refills are counted from.
enum class RefillPhase : std::uint8_t { kFromFirstCharge, kAligned };

// fixed_window: where windows begin.
enum class WindowKind : std::uint8_t { kAligned, kFirstRequest, kCalendar, kStaggered };

// The unit of a calendar window.
enum class CalendarUnit : std::uint8_t { kHour, kDay, kWeek, kMonth, kYear };

// sliding_buckets: what counts of the oldest part, which is only partly in view.
enum class OldestPart : std::uint8_t { kStrict, kLenient, kWeighted };

// Whether a refused check is charged.
enum class Refused : std::uint8_t { kFree, kRecord };

// A number with decimals, exactly: numerator / denominator. Converts from a whole number.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  constexpr Fraction() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Fraction(std::int64_t whole) : numerator(whole) {}
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
  constexpr Fraction(std::int64_t over, std::int64_t under) : numerator(over), denominator(under) {}

  friend bool operator==(const Fraction&, const Fraction&) = default;
};

// COUNT units in each PERIOD.
struct Rate {
  std::int64_t count = 0;
  Nanos period{0};
  // The unit, where the period was written as a bare `h d w month year`: what calendar windows
  // need.
  std::optional<CalendarUnit> unit = std::nullopt;

  friend bool operator==(const Rate&, const Rate&) = default;
};

// A limit as written. What is left out takes its default; a member that does not belong to the
// algorithm or its variant is refused by MakeLimit. Thread safety: a value.
struct LimitSpec {
  Algorithm algorithm = Algorithm::kTokenBucket;
  std::optional<Rate> rate = std::nullopt;                   // required, but for kConcurrency
  std::optional<Fraction> burst = std::nullopt;              // units
  std::optional<Refill> refill = std::nullopt;               // kGreedy
  std::optional<bool> aligned = std::nullopt;                // false; kInterval refill only
  std::optional<Nanos> max_wait = std::nullopt;              // 0; leaky_bucket: none
  std::optional<std::int64_t> delay_after = std::nullopt;    // units, 0
  std::optional<WindowKind> window = std::nullopt;           // kAligned
  std::optional<std::string> zone = std::nullopt;            // "UTC"; kCalendar only
  std::optional<bool> count_refused = std::nullopt;          // false
  std::optional<Nanos> min_gap = std::nullopt;               // 0
  std::optional<std::int64_t> buckets = std::nullopt;        // 60
  std::optional<OldestPart> oldest = std::nullopt;           // kStrict
  std::optional<Nanos> warm_up = std::nullopt;               // 0
  std::optional<Fraction> cold_factor = std::nullopt;        // 3
  std::optional<std::int64_t> max_in_flight = std::nullopt;  // required for kConcurrency
  std::optional<Nanos> ttl = std::nullopt;                   // 60 s

  friend bool operator==(const LimitSpec&, const LimitSpec&) = default;
};

}  // namespace sluice
