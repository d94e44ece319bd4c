// A calendar that only looks at the readings of a zone's clock, without arithmetic on windows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/calendar/calendar.h"
#include "sluice/limit.h"

namespace sluice::testing {

// Returns the number of the hour, day, week, month or year that contains the latest reading the
// zone's clock has shown up to `seconds` since 1970. Two instants have the same number if and only
// if they are in the same window.
std::int64_t CalendarIndex(const Zone& zone, CalendarUnit unit, std::int64_t seconds);

// Returns a zone of the system's database as the C library reads it, independent of our own reader.
// Kept until the program ends. Not thread safe: sets TZ.
std::shared_ptr<const Zone> LibcZone(const std::string& name);

}  // namespace sluice::testing
