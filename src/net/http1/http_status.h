// Status lines of HTTP/1 replies.
#pragma once

#include <string_view>

namespace sluice {

// Returns a line such as "HTTP/1.1 429 Too Many Requests\r\n". The reason phrase is empty if the
// status is not a known one.
// REQUIRES: 100 <= status <= 599.
std::string_view StatusLine(int status);

}  // namespace sluice
