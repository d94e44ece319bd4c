// TZif: compiled time zone files (RFC 8536), as found in /usr/share/zoneinfo.
#pragma once

#include <string_view>

#include "core/calendar.h"
#include "sluice/result.h"

namespace sluice {

// Reads the bytes of a zone file, versions 1 to 3 and what later ones share with them.
//
// The 64-bit data of version 2 on is used, and the rule in the footer is written out as explicit
// changes until past kLatestTime. Strict: counts, indexes and order are checked, and a file that
// counts leap seconds ("right/...") is refused, because our time does not.
Result<Zone> ParseTzif(std::string_view name, std::string_view bytes);

}  // namespace sluice
