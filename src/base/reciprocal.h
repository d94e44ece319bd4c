// Reciprocal: division by a number known in advance, done as a multiplication.
#pragma once

#include <bit>
#include <cstdint>

#include "base/int128.h"

namespace sluice {

// Divides exactly, without a division instruction. Thread safety: a value.
//
// With l = ceil(log2 d), the multiplier is the first whole number above 2^(63 + l) / d. The
// multiplier times d exceeds 2^(63 + l) by at most d <= 2^l, a relative error of 2^-63, which is
// too small to change the quotient of a dividend below 2^63.
class Reciprocal {
 public:
  // REQUIRES: 1 <= divisor <= 2^63.
  constexpr explicit Reciprocal(std::uint64_t divisor)
      : shift_(static_cast<unsigned>(std::bit_width(divisor - 1))),
        multiplier_(static_cast<std::uint64_t>((Uint128{1} << (63U + shift_)) / divisor) + 1) {}

  // Returns floor(dividend / divisor). REQUIRES: dividend < 2^63.
  [[nodiscard]] constexpr std::uint64_t Floor(std::uint64_t dividend) const {
    const Uint128 product = static_cast<Uint128>(dividend << 1U) * multiplier_;
    return static_cast<std::uint64_t>(product >> 64U) >> shift_;
  }

 private:
  unsigned shift_;
  std::uint64_t multiplier_;
};

}  // namespace sluice
