#include "core/limit/rate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <variant>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/text.h"

namespace sluice {
namespace {

// The units that also name a calendar unit if they are written without a number.
struct BareUnit {
  std::string_view name;
  CalendarUnit unit;
};
constexpr std::array kBareUnits = {
    BareUnit{"h", CalendarUnit::kHour},    BareUnit{"d", CalendarUnit::kDay},
    BareUnit{"w", CalendarUnit::kWeek},    BareUnit{"month", CalendarUnit::kMonth},
    BareUnit{"year", CalendarUnit::kYear}, BareUnit{"hour", CalendarUnit::kHour},
    BareUnit{"day", CalendarUnit::kDay},   BareUnit{"week", CalendarUnit::kWeek},
};

std::optional<CalendarUnit> CalendarUnitOf(std::string_view name) {
  const auto* const found = std::ranges::find(kBareUnits, name, &BareUnit::name);
  if (found == kBareUnits.end()) return std::nullopt;
  return found->unit;
}

// Returns the error for a text that is not a rate. "5 per minute" is not accepted, but clear enough
// for a suggestion.
Error NoRate(std::string_view text) {
  const std::string what = Concat(Quoted(text), " is no rate");
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr std::array<std::string_view, 5> kSeparators = {" per ", " a ", " an ", " each ",
                                                           " every "};
  for (const std::string_view separator : kSeparators) {
    if (digits == 0 || !text.substr(digits).starts_with(separator)) continue;
    const DurationParts period = SplitDuration(text.substr(digits + separator.size()));
    const std::string_view likely = LikelyTimeUnit(period.unit);
    if (likely.empty()) continue;
    const std::string meant = Concat(text.substr(0, digits), "/", period.number, likely);
    return Error{Concat(what, "; did you mean ", Quoted(meant), "?")};
  }
  return Error{Concat(what, "; expected COUNT/PERIOD such as 100/m")};
}

Result<std::int64_t> ReadCount(std::string_view text, std::size_t slash) {
  const auto number = ReadWhole(text.substr(0, slash));
  const auto* value = std::get_if<std::int64_t>(&number);
  if (value == nullptr && *std::get_if<NumberFault>(&number) == NumberFault::kMalformed) {
    return Error{
        Concat("the count of ", Quoted(text), " must be a whole number, written in digits")};
  }
  if (value == nullptr || *value > kMaxUnits) {
    return Error{Concat("the count of ", Quoted(text), " must be at most ", kMaxUnits)};
  }
  return *value;
}

}  // namespace

Nanos LengthOf(CalendarUnit unit) {
  const auto* const found = std::ranges::find(kBareUnits, unit, &BareUnit::unit);
  return found == kBareUnits.end() ? Nanos{0} : FindTimeUnit(found->name)->length;
}

Result<Rate> ParseRate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return NoRate(text);
  const Result<std::int64_t> count = ReadCount(text, slash);
  if (!count.ok()) return count.error();
  DurationParts parts = SplitDuration(text.substr(slash + 1));
  parts.text = text;
  if (parts.unit.empty()) {
    return Error{Concat(Quoted(text), " needs a unit after the slash: ", kTimeUnitNames)};
  }
  const TimeUnit* unit = FindTimeUnit(parts.unit);
  if (unit == nullptr) return UnknownTimeUnit(parts);
  if (parts.number.empty()) return Rate{count.value(), unit->length, CalendarUnitOf(parts.unit)};
  const Result<Nanos> period = ReadDuration(parts, *unit);
  if (!period.ok()) return period.error();
  return Rate{count.value(), period.value()};
}

std::string FormatRate(const Rate& rate) {
  for (const TimeUnit& unit : TimeUnits()) {
    // A bare `h` may also mean a calendar window, so it differs from `1h`.
    if (unit.length == rate.period && CalendarUnitOf(unit.name) == rate.unit) {
      return Concat(rate.count, "/", unit.name);
    }
  }
  return Concat(rate.count, "/", FormatDuration(rate.period));
}

}  // namespace sluice
