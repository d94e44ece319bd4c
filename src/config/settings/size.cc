#include "config/settings/size.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "base/decimal.h"
#include "base/int128.h"
#include "base/spelling.h"
#include "base/text.h"

namespace sluice {
namespace {

struct Unit {
  std::string_view name;
  Bytes size;
};

constexpr std::array kUnits = {
    Unit{"B", {1}},      Unit{"KiB", KiB(1)}, Unit{"MiB", MiB(1)},
    Unit{"GiB", GiB(1)}, Unit{"TiB", TiB(1)},
};
constexpr std::string_view kUnitNames = "B, KiB, MiB, GiB or TiB";

Result<Bytes> FindUnit(std::string_view name, std::string_view text) {
  std::vector<std::string_view> known;
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.size;
    known.push_back(unit.name);
  }
  return Error{
      Concat("unknown unit ", Quoted(name), " in ", Quoted(text), Suggestion(name, known))};
}

Error TooLarge(std::string_view text) {
  return Error{Concat(Quoted(text), " is above the largest size, 8388607TiB")};
}

Error NotWhole(std::string_view text) {
  return Error{Concat(Quoted(text), " is no whole number of bytes")};
}

Result<Bytes> Multiply(const Decimal& number, Bytes unit, std::string_view text) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto power = static_cast<std::uint64_t>(PowerOfTen(number.places));
  // Compares before multiplying, because the product could overflow: `scaled` may be close to 2^63
  // * 10^18 and the unit is up to 2^40.
  if (number.scaled / power > kMax / static_cast<std::uint64_t>(unit.count)) return TooLarge(text);
  const Uint128 product = number.scaled * static_cast<Uint128>(unit.count);
  if (product % power != 0) return NotWhole(text);
  if (product / power > kMax) return TooLarge(text);
  return Bytes{static_cast<std::int64_t>(product / power)};
}

}  // namespace

Result<Bytes> ParseSize(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  if (digits == 0) {
    return Error{Concat(Quoted(text), " is no size; expected a number and a unit such as 16KiB")};
  }
  if (digits == text.size()) return Error{Concat(Quoted(text), " needs a unit: ", kUnitNames)};
  const Result<Bytes> unit = FindUnit(text.substr(digits), text);
  if (!unit.ok()) return unit.error();
  const auto number = ReadDecimal(text.substr(0, digits));
  if (const auto* decimal = std::get_if<Decimal>(&number)) {
    return Multiply(*decimal, unit.value(), text);
  }
  switch (*std::get_if<NumberFault>(&number)) {
    case NumberFault::kTooLarge:
      return TooLarge(text);
    case NumberFault::kTooFine:
      return NotWhole(text);
    case NumberFault::kMalformed:
      break;
  }
  return Error{Concat(Quoted(text.substr(0, digits)), " in ", Quoted(text),
                      " is no number; expected one such as 10 or 1.5")};
}

std::string FormatSize(Bytes size) {
  for (std::size_t index = kUnits.size(); index-- > 1;) {
    const Unit& unit = kUnits[index];
    if (size.count == 0 || size.count % unit.size.count != 0) continue;
    return Concat(size.count / unit.size.count, unit.name);
  }
  return Concat(size.count, "B");
}

}  // namespace sluice
