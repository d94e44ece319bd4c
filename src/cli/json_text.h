// Writing JSON.
#pragma once

#include <string>
#include <string_view>

#include "core/value.h"

namespace sluice::cli {

// The text as a JSON string, quotes included.
std::string JsonString(std::string_view text);

// The value as JSON on one line. REQUIRES: its numbers are written as JSON has them.
std::string JsonText(const Value& value);

}  // namespace sluice::cli
