// Durations and rates as people write them: "250ms", "1.5h", "100/m".
#pragma once

#include <string>
#include <string_view>

#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Reads a number, with decimals perhaps, and a unit: ns us ms s m h d w month year, or
// one of the words second minute hour day week.
//   - A month is 30 days and a year 365.
//   - No blanks, no sign, no exponent.
//   - It must be a whole number of nanoseconds and at most kLongestSpan. 0s is read.
Result<Nanos> ParseDuration(std::string_view text);

// Reads COUNT/PERIOD, where the number of the period may be left out: "100/m", "100/10s".
// Whether a count or period of 0 is meant seriously is for MakeLimit to say.
Result<Rate> ParseRate(std::string_view text);

// The largest unit up to a week in which the length is at least 1 and has at most three decimals:
// "1.5h", "250ms". ParseDuration gives it back exactly. REQUIRES: length >= 0.
std::string FormatDuration(Nanos length);

// The shortest rate that ParseRate gives back exactly. REQUIRES: count, period >= 0.
std::string FormatRate(const Rate& rate);

// How long a bare `h d w month year` is.
Nanos LengthOf(CalendarUnit unit);

}  // namespace sluice
