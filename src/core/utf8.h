// UTF-8: checking it and writing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {

// Whether the byte goes on with a character rather than begins one.
constexpr bool IsUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// The bytes of the character the text begins with; 0 where it is none: cut off, overlong, half of
// a surrogate pair, or above U+10FFFF. REQUIRES: the text is not empty.
std::size_t Utf8SizeAt(std::string_view text);

// REQUIRES: code_point <= 0x10FFFF and no surrogate.
void AppendUtf8(std::uint32_t code_point, std::string& out);

}  // namespace sluice
