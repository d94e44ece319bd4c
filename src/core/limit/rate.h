// Rates as people write them: "100/m", "5/10s".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/limit.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// The maximum number of units in a count, burst or cost. Its product with any duration stays below
// 2^126.
inline constexpr std::int64_t kMaxUnits = 1'000'000'000'000'000'000;

// Reads COUNT/PERIOD, where PERIOD may omit its number: "100/m", "100/10s". Accepts a count or
// period of 0; MakeLimit decides whether that is valid.
Result<Rate> ParseRate(std::string_view text);

// Returns the shortest text that ParseRate reads back exactly. REQUIRES: count >= 0, period >= 0.
std::string FormatRate(const Rate& rate);

// Returns the duration of a bare `h d w month year`.
Nanos LengthOf(CalendarUnit unit);

}  // namespace sluice
