// UTF-8: checking it and writing it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

// The same, at the pace of one byte after another.
bool IsUtf8Slowly(std::string_view text);

// Whether the text is UTF-8 all through: nothing cut off or overlong, no half of a surrogate pair,
// nothing above U+10FFFF. Quick where it is ASCII, eight bytes at a time.
inline bool IsUtf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  const auto load = [&]<typename Word>(std::size_t at, Word word) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    return static_cast<std::uint64_t>(word);
  };
  const std::size_t size = text.size();
  std::uint64_t bytes = 0;
  if (size >= 8) {
    // The last eight overlap those before.
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

// REQUIRES: code_point <= 0x10FFFF and no surrogate.
void AppendUtf8(std::uint32_t code_point, std::string& out);

}  // namespace sluice
