// Tags: the terms that wrote a state, in a few letters beside it in Redis.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/limit.h"

namespace sluice {

// The numbers of the terms that a conversion to other terms reads, and whatever else makes it
// necessary: a letter of the algorithm, then numbers with commas between them. Empty for
// sliding_log and concurrency, whose states say all that is needed.
std::string TagOf(const Terms& terms);

// Terms that convert states as those of the tag do; members that no conversion reads are not
// theirs. Nothing where it is no tag of TagOf.
std::optional<Terms> TermsOfTag(std::string_view tag);

}  // namespace sluice
