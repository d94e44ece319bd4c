// UTF-8: whether a text from outside is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sluice {

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

}  // namespace sluice
