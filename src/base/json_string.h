// Writes text as JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends the text as the contents of a JSON string, without quotes. The result is valid UTF-8 for
// any input: each byte that is not UTF-8 becomes U+FFFD.
void AppendJsonEscaped(std::string_view text, std::string& out);

// Appends the text as a JSON string with its quotes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace sluice
