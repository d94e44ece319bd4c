#include "base/int128.h"

namespace sluice {

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters): a * b / c, in the order it is written.
Uint128 MulDivCeil(Uint128 a, std::uint64_t b, std::uint64_t c) {
  constexpr Uint128 kSaturated = Uint128{1} << 127U;
  // a = whole * c + rest, so a * b / c = whole * b + rest * b / c, and rest * b fits 128 bits.
  const Uint128 whole = a / c;
  const Uint128 rest = a % c;
  if (b != 0 && whole > kSaturated / b) return kSaturated;
  const Uint128 sum = whole * b + DivCeil(rest * b, c);
  return sum > kSaturated ? kSaturated : sum;
}

}  // namespace sluice
