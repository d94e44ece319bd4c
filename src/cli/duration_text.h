// Lengths of time as a person reads them.
#pragma once

#include <string>

#include "sluice/time.h"

namespace sluice::cli {

// In the unit that suits its size, with at most three decimals, rounded: "0s", "250ms", "1.5s",
// "12.346h". The units are those in which limits are written.
// REQUIRES: length >= 0.
std::string DurationText(Nanos length);

}  // namespace sluice::cli
