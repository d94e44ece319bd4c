// Must: asserts a property that holds for every input, in all builds.
#pragma once

#include <string_view>

namespace sluice::fuzz {

// Prints the property and aborts if it does not hold.
void Must(bool holds, std::string_view what);

}  // namespace sluice::fuzz
