// Writes JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/value.h"

namespace sluice::cli {

// Returns the text as a JSON string, including the quotes.
std::string JsonString(std::string_view text);

// Returns the value as JSON on one line. REQUIRES: its numbers are in JSON syntax.
std::string JsonText(const Value& value);

}  // namespace sluice::cli
