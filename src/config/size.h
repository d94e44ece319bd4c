// Sizes in bytes as people write them: "16KiB", "1.5GiB".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sluice/result.h"

namespace sluice {

// So many bytes.
struct Bytes {
  std::int64_t count = 0;

  friend bool operator==(const Bytes&, const Bytes&) = default;
};

constexpr Bytes KiB(std::int64_t count) { return {count << 10U}; }
constexpr Bytes MiB(std::int64_t count) { return {count << 20U}; }
constexpr Bytes GiB(std::int64_t count) { return {count << 30U}; }
constexpr Bytes TiB(std::int64_t count) { return {count << 40U}; }

// Reads a number, with decimals perhaps, and a unit: B KiB MiB GiB TiB. No blanks, no sign; kB and
// MB are refused, since half of their readers take them for powers of two. It must be a whole
// number of bytes and below 2^63.
Result<Bytes> ParseSize(std::string_view text);

// In the largest unit of which it is a whole number: "1536MiB". ParseSize gives it back exactly.
// REQUIRES: count >= 0.
std::string FormatSize(Bytes size);

}  // namespace sluice
