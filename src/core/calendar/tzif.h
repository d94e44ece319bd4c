// TZif: compiled time zone files (RFC 8536), as in /usr/share/zoneinfo.
#pragma once

#include <string_view>

#include "core/calendar/calendar.h"
#include "sluice/result.h"

namespace sluice {

// Reads the bytes of a zone file of version 1 to 3, or the compatible parts of a later version.
//
// From version 2 on the 64-bit data is used, and the rule in the footer is expanded into explicit
// changes until after kLatestTime. Counts, indexes and order are checked strictly. A file with leap
// seconds ("right/...") is rejected because Time does not count them.
Result<Zone> ParseTzif(std::string_view name, std::string_view bytes);

}  // namespace sluice
