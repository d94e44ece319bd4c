// Fraction: an exact rational number.
#pragma once

#include <cstdint>

namespace sluice {

// The exact number numerator / denominator. Converts implicitly from a whole number.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  constexpr Fraction() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr Fraction(std::int64_t whole) : numerator(whole) {}
  // NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
  constexpr Fraction(std::int64_t over, std::int64_t under) : numerator(over), denominator(under) {}

  friend bool operator==(const Fraction&, const Fraction&) = default;
};

}  // namespace sluice
