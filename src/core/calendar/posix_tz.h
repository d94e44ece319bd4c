// The yearly rule by which a zone's offset changes, in the POSIX form of the variable TZ:
// "CET-1CEST,M3.5.0,M10.5.0/3".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/calendar/calendar.h"

namespace sluice {

// A day of the year and a time on it, in the local time that is in effect before the change.
struct YearlyChange {
  enum class Kind : std::uint8_t {
    kMonthWeekDay,     // Mm.w.d: weekday d of week w of month m; w = 5 is the last
    kDayWithoutLeap,   // Jn: day 1 to 365; 29 February is never counted
    kDayCountingLeap,  // n: day 0 to 365
  };

  Kind kind = Kind::kMonthWeekDay;
  unsigned month = 1;
  unsigned week = 1;
  unsigned weekday = 0;          // 0 is Sunday
  int day = 0;                   // day of the year
  std::int32_t time = 2 * 3600;  // seconds after midnight; RFC 8536 allows -167 h to 167 h

  // Returns the local time of the change in that year as seconds since 1970, as if it were UTC.
  [[nodiscard]] std::int64_t LocalSecondsIn(std::chrono::year year) const;
};

// Summer time, with its beginning and end. Both may be anywhere in the year, and the summer offset
// may be below the standard one (Ireland).
struct SummerTime {
  std::int32_t offset = 0;
  YearlyChange begins;
  YearlyChange ends;
};

// Offsets are seconds ahead of UTC. In the text the sign is the opposite: west is positive.
struct PosixRule {
  std::int32_t offset = 0;
  std::optional<SummerTime> summer;

  // Returns the changes from `first` to `last`, both included, in order of time.
  [[nodiscard]] std::vector<Zone::Change> ChangesIn(std::chrono::year first,
                                                    std::chrono::year last) const;
};

// Reads a rule. Returns nothing if the text is not a rule or names summer time without its dates.
std::optional<PosixRule> ParsePosixRule(std::string_view text);

}  // namespace sluice
