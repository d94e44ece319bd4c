// Percent-encoding of parts of a URL (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// Decodes a text. Returns nothing if a % is not followed by two hexadecimal digits, or if a zero
// byte is encoded.
std::optional<std::string> PercentDecode(std::string_view text);

// Encodes every byte except A-Z a-z 0-9 - . _ ~ and the characters of `besides`.
std::string PercentEncode(std::string_view text, std::string_view besides = "");

}  // namespace sluice
