// The first line of a reply of HTTP/1.
#pragma once

#include <string_view>

namespace sluice {

// "HTTP/1.1 429 Too Many Requests\r\n". A status without words of its own has none.
// REQUIRES: 100 <= status <= 599.
std::string_view StatusLine(int status);

}  // namespace sluice
