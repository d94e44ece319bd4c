// LimitSpec: a limit as it is configured, before it is checked.
//
//   LimitSpec{.rate = {100, 1min}}                              100 a minute
//   LimitSpec{.rate = {100, 1min}, .burst = 20}                 the same, at most 20 at once
//   LimitSpec{.algorithm = Algorithm::kSlidingLog, .rate = {5, 1s}}
//
// ParseLimit reads the string and mapping forms of rule files and the command line into this
// struct. MakeLimit checks all limits, whatever form they came in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sluice/fraction.h"
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

// token_bucket: whether tokens come back one by one or COUNT at a time.
enum class Refill : std::uint8_t { kGreedy, kInterval };

// Interval refill: the start from which periods are counted.
enum class RefillPhase : std::uint8_t { kFromFirstCharge, kAligned };

// fixed_window: the instants at which windows begin.
enum class WindowKind : std::uint8_t { kAligned, kFirstRequest, kCalendar, kStaggered };

// The unit of a calendar window.
enum class CalendarUnit : std::uint8_t { kHour, kDay, kWeek, kMonth, kYear };

// sliding_buckets: how much of the oldest part counts, which is only partly in view.
enum class OldestPart : std::uint8_t { kStrict, kLenient, kWeighted };

// Whether a refused check is charged.
enum class Refused : std::uint8_t { kFree, kRecord };

// COUNT units per PERIOD.
struct Rate {
  std::int64_t count = 0;
  Nanos period{0};
  // The unit, if the period was written as a bare `h d w month year`. Calendar windows need it.
  std::optional<CalendarUnit> unit = std::nullopt;

  friend bool operator==(const Rate&, const Rate&) = default;
};

// A limit as configured. Options that are not set take their defaults (in the comments below).
// MakeLimit rejects an option that does not belong to the algorithm or its variant. Thread safety:
// a value.
struct LimitSpec {
  Algorithm algorithm = Algorithm::kTokenBucket;
  std::optional<Rate> rate = std::nullopt;                   // required, except for kConcurrency
  std::optional<Fraction> burst = std::nullopt;              // rate.count; pacer: units per second
  std::optional<Refill> refill = std::nullopt;               // kGreedy
  std::optional<bool> aligned = std::nullopt;                // false; kInterval refill only
  std::optional<Nanos> max_wait = std::nullopt;              // 0; leaky_bucket: unlimited
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
