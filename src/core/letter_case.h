// The case of ASCII letters, without locales.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

constexpr bool IsLowerLetter(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsUpperLetter(char c) { return c >= 'A' && c <= 'Z'; }

// The text with its ASCII letters in lower or upper case; other bytes stay.
std::string LowerCase(std::string_view text);
std::string UpperCase(std::string_view text);

}  // namespace sluice
