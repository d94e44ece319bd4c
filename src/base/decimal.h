// Decimals: numbers read from text exactly, digit by digit, without floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/int128.h"
#include "sluice/fraction.h"

namespace sluice {

// The number `scaled` / 10^places.
//
// Invariant: places <= 18, and scaled does not end in a 0 digit unless places is 0.
struct Decimal {
  Uint128 scaled = 0;
  unsigned places = 0;
};

// The reason why a text could not be read as a number.
enum class NumberFault : std::uint8_t { kMalformed, kTooLarge, kTooFine };

// Reads digits only: no sign, point, exponent, blank or leading zero. At most 2^63 - 1.
std::variant<std::int64_t, NumberFault> ReadWhole(std::string_view text);

// Reads digits, optionally with a point and more digits. The whole part is at most 2^63 - 1. More
// than 18 decimals, not counting trailing zeros, are kTooFine.
std::variant<Decimal, NumberFault> ReadDecimal(std::string_view text);

// Returns 10^places. REQUIRES: places <= 18.
std::int64_t PowerOfTen(unsigned places);

// Returns the number in lowest terms, or nothing if the numerator does not fit.
std::optional<Fraction> ToFraction(const Decimal& number);

// Returns the fraction as a decimal, or nothing if that has more than 18 decimals or infinitely
// many. REQUIRES: numerator >= 0.
std::optional<Decimal> ToDecimal(const Fraction& fraction);

// Writes the number with all of its decimals: "2.5".
std::string Format(const Decimal& number);

}  // namespace sluice
