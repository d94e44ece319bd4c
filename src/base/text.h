// Builds the texts of messages.
#pragma once

#include <charconv>
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>

namespace sluice {

inline void AppendPart(std::string_view part, std::string& text) { text.append(part); }
inline void AppendPart(std::integral auto part, std::string& text) {
  char digits[24];  // enough for 2^64 and a sign
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), part).ptr);
}

// Returns the parts, texts and whole numbers, one after another. (It also avoids g++ 12's false
// warnings about overlaps for a literal + a string.)
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string text;
  (AppendPart(parts, text), ...);
  return text;
}

// Returns the text with control characters (C0, DEL and C1) and bytes that are not UTF-8 written as
// \xNN, so that it cannot garble a line.
std::string Printable(std::string_view text);

// Returns the text with bytes that are not UTF-8 written as \xNN.
std::string ToUtf8(std::string_view text);

// Returns untrusted text quoted for a message: printable, and cut if it is long, so that it cannot
// garble a log.
std::string Quoted(std::string_view text);

}  // namespace sluice
