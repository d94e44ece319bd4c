
#include "base/decimal.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sluice {
namespace {

constexpr unsigned kMaxPlaces = 18;
constexpr auto kMaxWhole = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

bool AreDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t DigitOf(char c) { return static_cast<std::uint64_t>(c - '0'); }

}  // namespace

std::int64_t PowerOfTen(unsigned places) {
  std::int64_t power = 1;
  for (unsigned place = 0; place < places; ++place) power *= 10;
  return power;
}

std::variant<std::int64_t, NumberFault> ReadWhole(std::string_view text) {
  if (!AreDigits(text) || (text.size() > 1 && text.front() == '0')) return NumberFault::kMalformed;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (value > (kMaxWhole - DigitOf(c)) / 10) return NumberFault::kTooLarge;
    value = value * 10 + DigitOf(c);
  }
  return static_cast<std::int64_t>(value);
}

std::variant<Decimal, NumberFault> ReadDecimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto whole = ReadWhole(text.substr(0, point));
  if (const auto* fault = std::get_if<NumberFault>(&whole)) return *fault;
  Decimal number{static_cast<Uint128>(*std::get_if<std::int64_t>(&whole)), 0};
  if (point == std::string_view::npos) return number;
  std::string_view decimals = text.substr(point + 1);
  if (!AreDigits(decimals)) return NumberFault::kMalformed;
  while (!decimals.empty() && decimals.back() == '0') decimals.remove_suffix(1);
  if (decimals.size() > kMaxPlaces) return NumberFault::kTooFine;
  for (const char c : decimals) number.scaled = number.scaled * 10 + DigitOf(c);
  number.places = static_cast<unsigned>(decimals.size());
  return number;
}

std::optional<Fraction> ToFraction(const Decimal& number) {
  const std::int64_t under = PowerOfTen(number.places);
  const auto rest = static_cast<std::int64_t>(number.scaled % static_cast<Uint128>(under));
  const std::int64_t divisor = std::gcd(rest, under);
  const Uint128 over = number.scaled / static_cast<Uint128>(divisor);
  if (over > kMaxWhole) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(over), under / divisor};
}

std::optional<Decimal> ToDecimal(const Fraction& fraction) {
  if (fraction.denominator <= 0) return std::nullopt;
  const std::int64_t divisor = std::gcd(fraction.numerator, fraction.denominator);
  const auto over = static_cast<Uint128>(fraction.numerator / divisor);
  const std::int64_t under = fraction.denominator / divisor;
  for (unsigned places = 0; places <= kMaxPlaces; ++places) {
    const std::int64_t power = PowerOfTen(places);
    if (power % under == 0) return Decimal{over * static_cast<Uint128>(power / under), places};
  }
  return std::nullopt;
}

std::string Format(const Decimal& number) {
  std::string digits;
  Uint128 rest = number.scaled;
  while (rest != 0 || digits.size() <= number.places) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  }
  if (number.places != 0) digits.insert(digits.size() - number.places, 1, '.');
  return digits;
}

}  // namespace sluice
