// Texts as strings of JSON.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends the text as it stands between the quotes of a JSON string. The result is UTF-8 whatever
// the text is: a byte that is none becomes U+FFFD.
void AppendJsonEscaped(std::string_view text, std::string& out);

// The same with its quotes.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace sluice
