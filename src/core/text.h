// Putting messages together.
#pragma once

#include <charconv>
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>

namespace sluice {

inline void AppendPart(std::string_view part, std::string& text) { text.append(part); }
inline void AppendPart(std::integral auto part, std::string& text) {
  char digits[24];  // of 2^64 and a sign
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), part).ptr);
}

// The parts, texts and whole numbers, one after another. (Where a literal is added in front of a
// string with +, g++ 12 warns of overlaps that cannot be.)
template <typename... Parts>
std::string Concat(const Parts&... parts) {
  std::string text;
  (AppendPart(parts, text), ...);
  return text;
}

// The text with control characters (C0, delete and C1) and bytes that are not UTF-8 shown as \xNN,
// so that it cannot garble a line.
std::string Printable(std::string_view text);

// The text with bytes that are not UTF-8 shown as \xNN.
std::string ToUtf8(std::string_view text);

// A name or text from outside, quoted for a message: printable, and a long one is cut, so that it
// cannot garble a log.
std::string Quoted(std::string_view text);

}  // namespace sluice
