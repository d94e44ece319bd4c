// Writing JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice::cli {

// The text as a JSON string, quotes included. Bytes above 127 are passed on as they are.
std::string JsonString(std::string_view text);

}  // namespace sluice::cli
