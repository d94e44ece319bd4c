// Reciprocal: division by a number known in advance, as a multiplication.
#pragma once

#include <bit>
#include <cstdint>

#include "core/int128.h"

namespace sluice {

// Divides exactly. Thread safety: a value.
//
// With l = ceil(log2 d), the multiplier is the first whole number above 2^(63 + l) / d. Times d it
// exceeds 2^(63 + l) by at most d <= 2^l, one part in 2^63, which no dividend below 2^63 can tell.
class Reciprocal {
 public:
  // REQUIRES: 1 <= divisor <= 2^63.
  constexpr explicit Reciprocal(std::uint64_t divisor)
      : shift_(static_cast<unsigned>(std::bit_width(divisor - 1))),
        multiplier_(static_cast<std::uint64_t>((Uint128{1} << (63U + shift_)) / divisor) + 1) {}

  // floor(dividend / divisor). REQUIRES: dividend < 2^63.
  [[nodiscard]] constexpr std::uint64_t Floor(std::uint64_t dividend) const {
    const Uint128 product = static_cast<Uint128>(dividend << 1U) * multiplier_;
    return static_cast<std::uint64_t>(product >> 64U) >> shift_;
  }

 private:
  unsigned shift_;
  std::uint64_t multiplier_;
};

}  // namespace sluice
