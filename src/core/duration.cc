#include "core/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/decimal.h"
#include "core/letter_case.h"
#include "core/text.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Unit {
  std::string_view name;
  Nanos length;
  std::optional<CalendarUnit> calendar = std::nullopt;
};

constexpr std::array kUnits = {
    Unit{"ns", Nanos{1}},
    Unit{"us", microseconds{1}},
    Unit{"ms", milliseconds{1}},
    Unit{"s", seconds{1}},
    Unit{"m", minutes{1}},
    Unit{"h", hours{1}, CalendarUnit::kHour},
    Unit{"d", days{1}, CalendarUnit::kDay},
    Unit{"w", days{7}, CalendarUnit::kWeek},
    Unit{"month", days{30}, CalendarUnit::kMonth},
    Unit{"year", days{365}, CalendarUnit::kYear},
    // The same in words. They come last because lengths are written in the first unit that fits.
    Unit{"second", seconds{1}},
    Unit{"minute", minutes{1}},
    Unit{"hour", hours{1}, CalendarUnit::kHour},
    Unit{"day", days{1}, CalendarUnit::kDay},
    Unit{"week", days{7}, CalendarUnit::kWeek},
};
constexpr std::string_view kUnitNames = "ns, us, ms, s, m, h, d, w, month or year";

// The largest unit lengths are written in: a month or a year says less than its days.
constexpr std::size_t kWeekIndex = 7;
static_assert(kUnits[kWeekIndex].name == "w");

const Unit* FindUnit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// What others call a unit. Compared in lower case and without a plural s.
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

// The unit that was probably meant; empty where none is likely. A capital M may be a minute or a
// month, so nothing is suggested for it.
std::string_view LikelyUnit(std::string_view written) {
  std::string name = LowerCase(written);
  std::erase(name, ' ');
  const bool ambiguous = written.find('M') != std::string_view::npos && name == "m";
  if (ambiguous) return {};
  if (const Unit* unit = FindUnit(name)) return unit->name;
  if (name.size() > 2 && name.ends_with('s')) name.pop_back();
  for (const ForeignUnit& each : kForeignUnits) {
    if (each.written == name) return each.meant;
  }
  return {};
}

// A length split into its number and its unit, and the whole text it stands in, for messages.
struct Written {
  std::string_view number;
  std::string_view unit;
  std::string_view text;
};

Written Split(std::string_view length) {
  const std::size_t end = length.find_first_not_of("0123456789.");
  const std::size_t digits = end == std::string_view::npos ? length.size() : end;
  return {length.substr(0, digits), length.substr(digits), length};
}

Error TooLong(std::string_view text) {
  return Error{Concat(Quoted(text), " is above the longest time, 100 years of 365 days")};
}

Error NotWhole(std::string_view text) {
  return Error{Concat(Quoted(text), " is no whole number of nanoseconds")};
}

Result<Nanos> Multiply(const Decimal& number, const Unit& unit, std::string_view text) {
  const auto power = static_cast<std::uint64_t>(PowerOfTen(number.places));
  // Cut off before the product, which could overflow.
  if (number.scaled / power > static_cast<Uint128>(kLongestSpan / unit.length)) {
    return TooLong(text);
  }
  const Uint128 product = number.scaled * static_cast<Uint128>(unit.length.count());
  if (product % power != 0) return NotWhole(text);
  if (product / power > static_cast<Uint128>(kLongestSpan.count())) return TooLong(text);
  return Nanos{static_cast<std::int64_t>(product / power)};
}

Result<Nanos> Read(const Written& written, const Unit& unit) {
  const auto number = ReadDecimal(written.number);
  if (const auto* decimal = std::get_if<Decimal>(&number)) {
    return Multiply(*decimal, unit, written.text);
  }
  switch (*std::get_if<NumberFault>(&number)) {
    case NumberFault::kTooLarge:
      return TooLong(written.text);
    case NumberFault::kTooFine:
      return NotWhole(written.text);
    case NumberFault::kMalformed:
      break;
  }
  return Error{Concat(Quoted(written.number), " in ", Quoted(written.text),
                      " is no number; expected one such as 10 or 1.5")};
}

Error UnknownUnit(const Written& written) {
  const std::string_view likely = LikelyUnit(written.unit);
  const std::string what =
      Concat("unknown unit ", Quoted(written.unit), " in ", Quoted(written.text));
  if (likely.empty()) return Error{Concat(what, "; expected ", kUnitNames)};
  const std::string_view before = written.text.substr(0, written.text.size() - written.unit.size());
  return Error{Concat(what, "; did you mean ", Quoted(Concat(before, likely)), "?")};
}

// "5 per minute" has no slash but says clearly what is meant.
Error NoRate(std::string_view text) {
  const std::string what = Concat(Quoted(text), " is no rate");
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr std::array<std::string_view, 5> kSeparators = {" per ", " a ", " an ", " each ",
                                                           " every "};
  for (const std::string_view separator : kSeparators) {
    if (digits == 0 || !text.substr(digits).starts_with(separator)) continue;
    const Written period = Split(text.substr(digits + separator.size()));
    const std::string_view likely = LikelyUnit(period.unit);
    if (likely.empty()) continue;
    const std::string meant = Concat(text.substr(0, digits), "/", period.number, likely);
    return Error{Concat(what, "; did you mean ", Quoted(meant), "?")};
  }
  return Error{Concat(what, "; expected COUNT/PERIOD such as 100/m")};
}

// The count of a rate, which ends at the slash.
Result<std::int64_t> ReadCount(std::string_view text, std::size_t slash) {
  const auto number = ReadWhole(text.substr(0, slash));
  const auto* value = std::get_if<std::int64_t>(&number);
  if (value == nullptr && *std::get_if<NumberFault>(&number) == NumberFault::kMalformed) {
    return Error{
        Concat("the count of ", Quoted(text), " must be a whole number, written in digits")};
  }
  if (value == nullptr || *value > kUnitsMost) {
    return Error{Concat("the count of ", Quoted(text), " must be at most ", kUnitsMost)};
  }
  return *value;
}

}  // namespace

Nanos LengthOf(CalendarUnit unit) {
  for (const Unit& each : kUnits) {
    if (each.calendar == unit) return each.length;
  }
  return Nanos{0};
}

Result<Nanos> ParseDuration(std::string_view text) {
  const Written written = Split(text);
  if (written.number.empty()) {
    return Error{
        Concat(Quoted(text), " is no duration; expected a number and a unit such as 250ms")};
  }
  if (written.unit.empty()) {
    return Error{Concat(Quoted(text), " needs a unit: ", kUnitNames)};
  }
  const Unit* unit = FindUnit(written.unit);
  if (unit == nullptr) return UnknownUnit(written);
  return Read(written, *unit);
}

Result<Rate> ParseRate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return NoRate(text);
  const Result<std::int64_t> count = ReadCount(text, slash);
  if (!count.ok()) return count.error();
  Written written = Split(text.substr(slash + 1));
  written.text = text;
  if (written.unit.empty()) {
    return Error{Concat(Quoted(text), " needs a unit after the slash: ", kUnitNames)};
  }
  const Unit* unit = FindUnit(written.unit);
  if (unit == nullptr) return UnknownUnit(written);
  if (written.number.empty()) return Rate{count.value(), unit->length, unit->calendar};
  const Result<Nanos> period = Read(written, *unit);
  if (!period.ok()) return period.error();
  return Rate{count.value(), period.value()};
}

std::string FormatDuration(Nanos length) {
  for (std::size_t index = kWeekIndex + 1; index-- > 0;) {
    const Unit& unit = kUnits[index];
    const Uint128 thousandfold = static_cast<Uint128>(length.count()) * 1000;
    const auto divisor = static_cast<std::uint64_t>(unit.length.count());
    if (length < unit.length || thousandfold % divisor != 0) continue;
    Decimal number{thousandfold / divisor, 3};
    for (; number.places > 0 && number.scaled % 10 == 0; --number.places) number.scaled /= 10;
    return Concat(Format(number), unit.name);
  }
  return "0s";
}

std::string FormatRate(const Rate& rate) {
  for (const Unit& unit : kUnits) {
    // A bare `h` also says that calendar windows may be meant, so it is not the same as `1h`.
    if (unit.length == rate.period && unit.calendar == rate.unit) {
      return Concat(rate.count, "/", unit.name);
    }
  }
  return Concat(rate.count, "/", FormatDuration(rate.period));
}

}  // namespace sluice
