// Calendar windows in a time zone: hours, days, weeks, months and years as its clocks show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/limit.h"
#include "sluice/time.h"

namespace sluice {

// The largest offset from UTC a zone may have, in seconds either way: what RFC 8536 asks of zone
// files. Bounds how far around a time the changes that matter to it can lie.
inline constexpr std::int64_t kZoneOffsetMost = 93'599;

// A time zone: every change of its offset, for as long as times are accepted.
// Immutable once made; share it between threads freely.
//
// Invariants
//   (1) `changes` ascend strictly in `from`.
//   (2) No offset is above kZoneOffsetMost either way.
struct Zone {
  // From `from` (seconds since 1970) on, local time is UTC plus `offset`.
  struct Change {
    std::int64_t from = 0;
    std::int32_t offset = 0;
  };

  std::string name;
  std::int32_t first_offset = 0;  // before the first change
  std::vector<Change> changes;    // by time, reaching past kLatestTime
};

// A window of time, [start, end).
struct Window {
  Time start{};
  Time end{};

  friend bool operator==(const Window&, const Window&) = default;
};

// The window of `unit` that holds `now`.
//
// A window starts at the first instant at which the zone's clock shows its first second or a later
// one. So an hour that the clock repeats is one longer window, and one it skips has none. Weeks
// start on Monday. In a repeated stretch that crosses midnight the day stays the later one.
//
// REQUIRES: 1900 <= now <= kLatestTime. Cost: a binary search, no allocation.
Window WindowAt(const Zone& zone, CalendarUnit unit, Time now);

}  // namespace sluice
