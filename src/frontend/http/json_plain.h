// Fast scanning of JSON strings: the bytes that need no escape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ascii.h"

namespace sluice {

// Bytes of a string that stand for themselves, whatever their neighbours are.
inline constexpr ByteSet kPlainJsonBytes =
    ByteSet().WithRange(0x20, 0x21).WithRange(0x23, 0x5B).WithRange(0x5D, 0x7F);

// Returns whether all eight bytes are plain. (x - ones) & ~x has the top bit set in some byte
// exactly if a byte of x is zero; with 32 in place of 1 it finds bytes below 32.
inline bool IsPlainJson(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  const auto below = [](std::uint64_t x, std::uint64_t bound) { return (x - kOnes * bound) & ~x; };
  const std::uint64_t special =
      below(bytes, 0x20) | below(bytes ^ kOnes * '"', 1) | below(bytes ^ kOnes * '\\', 1) | bytes;
  return (special & kTops) == 0;
}

// Returns the position of the first byte from `at` on that is not plain, or the end.
inline std::size_t PlainJsonEnd(std::string_view text, std::size_t at) {
  std::uint64_t bytes = 0;
  while (at + sizeof(bytes) <= text.size()) {
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    if (!IsPlainJson(bytes)) break;
    at += sizeof(bytes);
  }
  while (at < text.size() && kPlainJsonBytes.Has(text[at])) ++at;
  return at;
}

}  // namespace sluice
