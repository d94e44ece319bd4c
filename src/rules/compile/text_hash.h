// HashText: a fast hash of short texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/int128.h"

namespace sluice {

// Only for tables of texts from rule files, never for tables that clients can fill: anyone who
// knows the hash can construct collisions. Takes one multiplication per eight bytes; SipHash takes
// three times as long for attribute names.
inline std::uint64_t HashText(std::string_view text) {
  const auto word = [](const char* at, std::size_t size) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, size);
    return bytes;
  };
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    const Uint128 product = Uint128{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15U;
  constexpr std::uint64_t kSecond = 0xd1b54a32d192ed03U;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = (left + 1) * kFirst;
  for (; left > 8; at += 8, left -= 8) hash = mix(hash ^ word(at, 8), kSecond);
  // Loads the rest with loads of fixed size that may overlap, so that no loop depends on its
  // length.
  std::uint64_t rest = 0;
  if (left == 8) {
    rest = word(at, 8);
  } else if (left >= 4) {
    rest = word(at, 4) | word(at + left - 4, 4) << 32U;
  } else if (left > 0) {
    rest = word(at, 1) | word(at + left / 2, 1) << 8U | word(at + left - 1, 1) << 16U;
  }
  return mix(hash ^ rest, kFirst);
}

}  // namespace sluice
