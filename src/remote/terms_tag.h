// Tags: the terms that wrote a state, in a few letters beside it in Redis.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/limit.h"

namespace sluice {

// The numbers of the terms that decide: a letter of the algorithm, then numbers with commas between
// them. Empty for sliding_log and concurrency, whose states say all that is needed.
std::string TagOf(const Terms& terms);

// Terms that decide as those of the tag do, but for `count_refused`; a calendar has no zone.
// Nothing where it is no tag of TagOf.
std::optional<Terms> TermsOfTag(std::string_view tag);

}  // namespace sluice
