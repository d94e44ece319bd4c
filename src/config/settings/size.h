// Sizes in bytes as configuration writes them: "16KiB", "1.5GiB".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice {

// A number of bytes.
struct Bytes {
  std::int64_t count = 0;

  friend bool operator==(const Bytes&, const Bytes&) = default;
};

constexpr Bytes KiB(std::int64_t count) { return {count << 10U}; }
constexpr Bytes MiB(std::int64_t count) { return {count << 20U}; }
constexpr Bytes GiB(std::int64_t count) { return {count << 30U}; }
constexpr Bytes TiB(std::int64_t count) { return {count << 40U}; }

// Parses a number, possibly with decimals, and a unit: B, KiB, MiB, GiB or TiB, without spaces or a
// sign. kB and MB are rejected because half of their readers take them for powers of two. The
// result must be a whole number of bytes below 2^63.
Result<Bytes> ParseSize(std::string_view text);

// Formats the size in the largest unit of which it is a whole multiple: "1536MiB". ParseSize
// returns exactly the same size. REQUIRES: count >= 0.
std::string FormatSize(Bytes size);

}  // namespace sluice
