// Decimals: numbers read from text exactly, digit by digit, without floating point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/int128.h"
#include "sluice/limit.h"

namespace sluice {

// The most units anything may be written with: a count, a burst. Small enough that a product with
// any length of time stays below 2^126.
inline constexpr std::int64_t kUnitsMost = 1'000'000'000'000'000'000;

// The number scaled / 10^places.
//
// Invariant: places <= 18, and scaled does not end in a 0 digit unless places is 0.
struct Decimal {
  Uint128 scaled = 0;
  unsigned places = 0;
};

// Why a text is no such number.
enum class NumberFault : std::uint8_t { kMalformed, kTooLarge, kTooFine };

// Digits alone: no sign, point, exponent, blank or leading zero. At most 2^63 - 1.
std::variant<std::int64_t, NumberFault> ReadWhole(std::string_view text);

// Digits, and perhaps a point and more digits. The whole part is at most 2^63 - 1; more than 18
// decimals, trailing zeros apart, are too fine.
std::variant<Decimal, NumberFault> ReadDecimal(std::string_view text);

// 10^places. REQUIRES: places <= 18.
std::int64_t PowerOfTen(unsigned places);

// The number in lowest terms; none where it does not fit.
std::optional<Fraction> ToFraction(const Decimal& number);

// The number a fraction is; none where it has no end in decimals or more than 18 of them.
// REQUIRES: numerator >= 0.
std::optional<Decimal> ToDecimal(const Fraction& fraction);

// "2.5"
std::string Format(const Decimal& number);

}  // namespace sluice
