// Case conversion of ASCII letters, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

constexpr bool IsLowerLetter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpperLetter(char c) { return c >= 'A' && c <= 'Z'; }

// Return the text with its ASCII letters in lower or upper case. Other bytes do not change.
std::string LowerCase(std::string_view text);
std::string UpperCase(std::string_view text);

}  // namespace sluice
