// Percent-encoding of parts of a URL (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// None where a % is not followed by two hexadecimal digits, or where a zero byte comes out.
std::optional<std::string> PercentDecode(std::string_view text);

// Everything but A-Z a-z 0-9 - . _ ~ and the characters of `besides` is encoded.
std::string PercentEncode(std::string_view text, std::string_view besides = "");

}  // namespace sluice
