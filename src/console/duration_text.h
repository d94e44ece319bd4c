// Durations as text for people.
#pragma once

#include <string>

#include "sluice/time.h"

namespace sluice::cli {

// Formats a duration in a suitable unit of the limit syntax, rounded to at most three decimals:
// "0s", "250ms", "1.5s", "12.346h". REQUIRES: length >= 0.
std::string DurationText(Nanos length);

}  // namespace sluice::cli
