// A calendar by looking at clocks: no arithmetic on windows, only what a zone's clock has shown.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/calendar.h"
#include "sluice/limit.h"

namespace sluice::testing {

// The number of the hour, day, week, month or year that holds the latest reading the zone's clock
// has shown up to `seconds` since 1970. Instants of one window, and only those, share a number.
std::int64_t CalendarIndex(const Zone& zone, CalendarUnit unit, std::int64_t seconds);

// A zone of the system's database as the C library reads it, so that it owes nothing to our own
// reader. Kept for the life of the program. Not safe to call from several threads: sets TZ.
std::shared_ptr<const Zone> LibcZone(const std::string& name);

}  // namespace sluice::testing
