// The rule by which a zone's clocks change year after year, as POSIX writes it in TZ:
// "CET-1CEST,M3.5.0,M10.5.0/3".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/calendar.h"

namespace sluice {

// A day of the year and a time on it, in the local time that held until then.
struct YearlyChange {
  enum class Kind : std::uint8_t {
    kMonthWeekDay,     // Mm.w.d: weekday d of week w of month m, w = 5 the last
    kDayWithoutLeap,   // Jn: day 1 to 365, 29 February never counted
    kDayCountingLeap,  // n: day 0 to 365
  };

  Kind kind = Kind::kMonthWeekDay;
  unsigned month = 1;
  unsigned week = 1;
  unsigned weekday = 0;          // 0 is Sunday
  int day = 0;                   // of the year
  std::int32_t time = 2 * 3600;  // seconds after midnight; RFC 8536 allows -167 h to 167 h

  // Seconds since 1970 if local time were UTC.
  [[nodiscard]] std::int64_t LocalSecondsIn(std::chrono::year year) const;
};

// Summer time, and when it begins and ends. The two may be anywhere in the year, and the offset
// may be below the other one (Ireland).
struct SummerTime {
  std::int32_t offset = 0;
  YearlyChange begins;
  YearlyChange ends;
};

// Offsets are seconds ahead of UTC, unlike in the text, where west is positive.
struct PosixRule {
  std::int32_t offset = 0;
  std::optional<SummerTime> summer;

  // The changes of these years, both included, in order.
  [[nodiscard]] std::vector<Zone::Change> ChangesIn(std::chrono::year first,
                                                    std::chrono::year last) const;
};

// Reads a rule; none where the text is no rule, or names summer time without saying when it is.
std::optional<PosixRule> ParsePosixRule(std::string_view text);

}  // namespace sluice
