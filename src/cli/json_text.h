// Writing JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// The text as a JSON string, quotes included.
std::string JsonString(std::string_view text);

}  // namespace sluice::cli
