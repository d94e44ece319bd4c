// Validates and writes UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice {

// Returns whether the byte continues a character rather than begins one.
constexpr bool IsUtf8Continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Returns the number of bytes of the character at the start of the text, or 0 if there is none: a
// cut or overlong one, half of a surrogate pair, or one above U+10FFFF. REQUIRES: the text is not
// empty.
std::size_t Utf8SizeAt(std::string_view text);

// Does what IsUtf8 does, one character at a time.
bool IsUtf8Slowly(std::string_view text);

// Returns whether the whole text is UTF-8: no cut or overlong character, no half of a surrogate
// pair, nothing above U+10FFFF. Fast for ASCII, which it reads eight bytes at a time.
inline bool IsUtf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const auto load = [&]<typename Word>(std::size_t at, Word word) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    return static_cast<std::uint64_t>(word);
  };
  const std::size_t size = text.size();
  std::uint64_t bytes = 0;
  if (size >= 8) {
    // The last load may overlap the one before.
    for (std::size_t at = 0; at + 8 < size; at += 8) bytes |= load(at, std::uint64_t{});
    bytes |= load(size - 8, std::uint64_t{});
  } else if (size >= 4) {
    bytes = load(0, std::uint32_t{}) | load(size - 4, std::uint32_t{});
  } else if (size > 0) {
    bytes =
        load(0, std::uint8_t{}) | load(size / 2, std::uint8_t{}) | load(size - 1, std::uint8_t{});
  }
  return (bytes & kHighBits) == 0 || IsUtf8Slowly(text);
}

// REQUIRES: code_point <= 0x10FFFF and is not a surrogate.
void AppendUtf8(std::uint32_t code_point, std::string& out);

}  // namespace sluice
