// Durations as people write them: "250ms", "1.5h".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Reads a number, which may have decimals, and a unit: ns us ms s m h d w month year, or one of
// the words second minute hour day week.
//   - A month is 30 days and a year 365.
//   - No blanks, no sign, no exponent.
//   - It must be a whole number of nanoseconds and at most kLongestSpan. 0s is accepted.
Result<Nanos> ParseDuration(std::string_view text);

// Writes the duration in the largest unit up to a week in which it is at least 1 and has at most
// three decimals: "1.5h", "250ms". ParseDuration reads it back exactly. REQUIRES: length >= 0.
std::string FormatDuration(Nanos length);

// The declarations below are for parsers of texts that contain durations, such as rates.

struct TimeUnit {
  std::string_view name;
  Nanos length;
};

inline constexpr std::string_view kTimeUnitNames = "ns, us, ms, s, m, h, d, w, month or year";

// Returns all units, shortest first, followed by the words for some of them.
std::span<const TimeUnit> TimeUnits();

// Returns null if there is no unit of that name.
const TimeUnit* FindTimeUnit(std::string_view name);

// Returns the name of the unit that `written` probably means ("sec", "Minutes"), or nothing.
std::string_view LikelyTimeUnit(std::string_view written);

// A duration split into its number and its unit; `text` is what error messages quote.
struct DurationParts {
  std::string_view number;
  std::string_view unit;
  std::string_view text;
};
DurationParts SplitDuration(std::string_view duration);

// Returns number * unit, or an error if that is not a duration.
Result<Nanos> ReadDuration(const DurationParts& parts, const TimeUnit& unit);

// Returns "unknown unit 'sec' in '5sec'; did you mean '5s'?" or a list of the units.
Error UnknownTimeUnit(const DurationParts& parts);

}  // namespace sluice
