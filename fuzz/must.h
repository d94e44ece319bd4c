// Must: what holds whatever the input; the program ends where it does not.
#pragma once

#include <string_view>

namespace sluice::fuzz {

// Says what does not hold, and aborts.
void Must(bool holds, std::string_view what);

}  // namespace sluice::fuzz
