// Tags: short texts that identify the terms under which a state in Redis was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/limit/limit.h"

namespace sluice {

// Returns the numbers that determine decisions: a letter for the algorithm, then numbers separated
// by commas. Empty for sliding_log and concurrency, whose states need no tag.
std::string TagOf(const Terms& terms);

// Returns terms that decide like those of the tag, except for `count_refused`; a calendar has no
// zone. None if TagOf cannot have written the tag.
std::optional<Terms> TermsOfTag(std::string_view tag);

}  // namespace sluice
