#include "base/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/decimal.h"
#include "base/letter_case.h"
#include "base/text.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array kUnits = {
    TimeUnit{"ns", Nanos{1}},
    TimeUnit{"us", microseconds{1}},
    TimeUnit{"ms", milliseconds{1}},
    TimeUnit{"s", seconds{1}},
    TimeUnit{"m", minutes{1}},
    TimeUnit{"h", hours{1}},
    TimeUnit{"d", days{1}},
    TimeUnit{"w", days{7}},
    TimeUnit{"month", days{30}},
    TimeUnit{"year", days{365}},
    // The words come last because durations are written in the first unit that fits.
    TimeUnit{"second", seconds{1}},
    TimeUnit{"minute", minutes{1}},
    TimeUnit{"hour", hours{1}},
    TimeUnit{"day", days{1}},
    TimeUnit{"week", days{7}},
};

// The largest unit in which durations are written. A month or year would be less precise to read
// than its number of days or weeks.
constexpr std::size_t kWeekIndex = 7;
static_assert(kUnits[kWeekIndex].name == "w");

// Unit names of other programs, for suggestions. They are compared in lower case and without a
// plural s.
struct ForeignUnit {
  std::string_view written;
  std::string_view meant;
};
constexpr std::array kForeignUnits = {
    ForeignUnit{"nanosecond", "ns"},  ForeignUnit{"nano", "ns"},   ForeignUnit{"nsec", "ns"},
    ForeignUnit{"microsecond", "us"}, ForeignUnit{"micro", "us"},  ForeignUnit{"usec", "us"},
    ForeignUnit{"millisecond", "ms"}, ForeignUnit{"milli", "ms"},  ForeignUnit{"msec", "ms"},
    ForeignUnit{"second", "s"},       ForeignUnit{"sec", "s"},     ForeignUnit{"minute", "m"},
    ForeignUnit{"min", "m"},          ForeignUnit{"hour", "h"},    ForeignUnit{"hr", "h"},
    ForeignUnit{"day", "d"},          ForeignUnit{"week", "w"},    ForeignUnit{"wk", "w"},
    ForeignUnit{"month", "month"},    ForeignUnit{"mon", "month"}, ForeignUnit{"mo", "month"},
    ForeignUnit{"year", "year"},      ForeignUnit{"yr", "year"},   ForeignUnit{"y", "year"},
};

Error TooLong(std::string_view text) {
  return Error{Concat(Quoted(text), " is above the longest time, 100 years of 365 days")};
}

Error NotWhole(std::string_view text) {
  return Error{Concat(Quoted(text), " is no whole number of nanoseconds")};
}

Result<Nanos> Multiply(const Decimal& number, const TimeUnit& unit, std::string_view text) {
  const auto power = static_cast<std::uint64_t>(PowerOfTen(number.places));
  // Checked before the multiplication because that could overflow.
  if (number.scaled / power > static_cast<Uint128>(kLongestSpan / unit.length)) {
    return TooLong(text);
  }
  const Uint128 product = number.scaled * static_cast<Uint128>(unit.length.count());
  if (product % power != 0) return NotWhole(text);
  if (product / power > static_cast<Uint128>(kLongestSpan.count())) return TooLong(text);
  return Nanos{static_cast<std::int64_t>(product / power)};
}

}  // namespace

std::span<const TimeUnit> TimeUnits() { return kUnits; }

const TimeUnit* FindTimeUnit(std::string_view name) {
  for (const TimeUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::string_view LikelyTimeUnit(std::string_view written) {
  std::string name = LowerCase(written);
  std::erase(name, ' ');
  // A capital M may mean minute or month.
  const bool is_ambiguous = written.find('M') != std::string_view::npos && name == "m";
  if (is_ambiguous) return {};
  if (const TimeUnit* unit = FindTimeUnit(name)) return unit->name;
  if (name.size() > 2 && name.ends_with('s')) name.pop_back();
  for (const ForeignUnit& each : kForeignUnits) {
    if (each.written == name) return each.meant;
  }
  return {};
}

DurationParts SplitDuration(std::string_view duration) {
  const std::size_t digits = std::min(duration.find_first_not_of("0123456789."), duration.size());
  return {duration.substr(0, digits), duration.substr(digits), duration};
}

Result<Nanos> ReadDuration(const DurationParts& parts, const TimeUnit& unit) {
  const auto number = ReadDecimal(parts.number);
  if (const auto* decimal = std::get_if<Decimal>(&number)) {
    return Multiply(*decimal, unit, parts.text);
  }
  switch (*std::get_if<NumberFault>(&number)) {
    case NumberFault::kTooLarge:
      return TooLong(parts.text);
    case NumberFault::kTooFine:
      return NotWhole(parts.text);
    case NumberFault::kMalformed:
      break;
  }
  return Error{Concat(Quoted(parts.number), " in ", Quoted(parts.text),
                      " is no number; expected one such as 10 or 1.5")};
}

Error UnknownTimeUnit(const DurationParts& parts) {
  const std::string_view likely = LikelyTimeUnit(parts.unit);
  const std::string what = Concat("unknown unit ", Quoted(parts.unit), " in ", Quoted(parts.text));
  if (likely.empty()) return Error{Concat(what, "; expected ", kTimeUnitNames)};
  const std::string_view before = parts.text.substr(0, parts.text.size() - parts.unit.size());
  return Error{Concat(what, "; did you mean ", Quoted(Concat(before, likely)), "?")};
}

Result<Nanos> ParseDuration(std::string_view text) {
  const DurationParts parts = SplitDuration(text);
  if (parts.number.empty()) {
    return Error{
        Concat(Quoted(text), " is no duration; expected a number and a unit such as 250ms")};
  }
  if (parts.unit.empty()) {
    return Error{Concat(Quoted(text), " needs a unit: ", kTimeUnitNames)};
  }
  const TimeUnit* unit = FindTimeUnit(parts.unit);
  if (unit == nullptr) return UnknownTimeUnit(parts);
  return ReadDuration(parts, *unit);
}

std::string FormatDuration(Nanos length) {
  for (std::size_t index = kWeekIndex + 1; index-- > 0;) {
    const TimeUnit& unit = kUnits[index];
    const Uint128 thousandfold = static_cast<Uint128>(length.count()) * 1000;
    const auto divisor = static_cast<std::uint64_t>(unit.length.count());
    if (length < unit.length || thousandfold % divisor != 0) continue;
    Decimal number{thousandfold / divisor, 3};
    for (; number.places > 0 && number.scaled % 10 == 0; --number.places) number.scaled /= 10;
    return Concat(Format(number), unit.name);
  }
  return "0s";
}

}  // namespace sluice
