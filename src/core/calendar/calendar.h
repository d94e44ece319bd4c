// Calendar windows in a time zone: hours, days, weeks, months and years of its local time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice {

// The maximum offset from UTC in either direction, in seconds, as RFC 8536 requires of zone files.
// It bounds how far from a time a change of the offset can still affect its local time.
inline constexpr std::int64_t kMaxZoneOffset = 93'599;

// A time zone: every change of its offset up to the latest time that is accepted. Immutable once
// made, so threads may share it freely.
//
// Invariants
//   (1) `changes` ascend strictly in `from`.
//   (2) No offset exceeds kMaxZoneOffset in either direction.
struct Zone {
  // From `from` (seconds since 1970) on, local time is UTC plus `offset`.
  struct Change {
    std::int64_t from = 0;
    std::int32_t offset = 0;
  };

  std::string name;
  std::int32_t first_offset = 0;  // before the first change
  std::vector<Change> changes;    // in order of time, to beyond kLatestTime
};

// A window of time, [start, end).
struct Window {
  Time start{};
  Time end{};

  friend bool operator==(const Window&, const Window&) = default;
};

// Returns the window of `unit` that contains `now`.
//
// A window starts at the first instant at which the zone's clock shows the window's first second or
// a later one. So an hour that the clock repeats is one longer window, and an hour that it skips
// has no window. Weeks start on Monday. If a repeated stretch crosses midnight, the later day
// continues through it.
//
// REQUIRES: 1900 <= now <= kLatestTime. Cost: a binary search, no allocation.
Window WindowAt(const Zone& zone, CalendarUnit unit, Time now);

}  // namespace sluice
