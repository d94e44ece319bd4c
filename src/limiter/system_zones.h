// SystemZones: the time zones installed on this machine.
#pragma once

#include <string>

#include "core/limit/limit.h"

namespace sluice {

inline constexpr char kSystemZoneDirectory[] = "/usr/share/zoneinfo";

// Returns a source that reads zone files below `directory` on first use and caches them.
//   - "UTC" exists without a file.
//   - A name that could lead out of the directory is unknown; so is a file that is no zone file or
//     is over 1 MiB.
// Thread safety: the source and its copies share one cache and may be called from any thread.
ZoneSource SystemZones(std::string directory = kSystemZoneDirectory);

}  // namespace sluice
