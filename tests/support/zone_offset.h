// OffsetAt: the offset of a zone at one point in time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/calendar/calendar.h"

namespace sluice::testing {

// Returns the seconds that local time is ahead of UTC. A change applies from its second on.
inline std::int32_t OffsetAt(const Zone& zone, std::int64_t utc_seconds) {
  const auto next = std::ranges::upper_bound(zone.changes, utc_seconds, {}, &Zone::Change::from);
  return next == zone.changes.begin() ? zone.first_offset : std::prev(next)->offset;
}

}  // namespace sluice::testing
