// 128-bit intermediates: products of two 64-bit quantities never overflow on the decision path.
#pragma once

#include <cstdint>
#include <limits>

namespace sluice {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

// Returns floor(a / b). Most dividends fit 64 bits, for which one machine instruction is enough.
// REQUIRES: b > 0.
constexpr Uint128 DivFloor(Uint128 a, std::uint64_t b) {
  if ((a >> 64U) == 0) return static_cast<std::uint64_t>(a) / b;
  return a / b;
}

// Returns ceil(a / b). REQUIRES: b > 0.
constexpr Uint128 DivCeil(Uint128 a, std::uint64_t b) {
  const Uint128 floor = DivFloor(a, b);
  return floor + static_cast<Uint128>(floor * b != a);
}

// Returns a * b / c rounded up, even if the product overflows; saturates at 2^127. REQUIRES: c > 0.
Uint128 MulDivCeil(Uint128 a, std::uint64_t b, std::uint64_t c);

// Returns the value as a signed 64-bit number, or the largest one if it does not fit.
constexpr std::int64_t ToInt64Saturated(Uint128 value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return value > static_cast<Uint128>(kMax) ? kMax : static_cast<std::int64_t>(value);
}

}  // namespace sluice
