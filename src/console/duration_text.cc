#include "console/duration_text.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanos;
  std::int64_t from;  // the minimum length written in this unit
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// Minutes, hours and days are used from two on, because "90s" is easier to read than "1.5m".
constexpr std::array kUnits = {
    Unit{"d", kDay, 2 * kDay},
    Unit{"h", kHour, 2 * kHour},
    Unit{"m", kMinute, 2 * kMinute},
    Unit{"s", kSecond, kSecond},
    Unit{"ms", 1'000'000, 1'000'000},
    Unit{"us", 1'000, 1'000},
    Unit{"ns", 1, 1},
};

}  // namespace

std::string DurationText(Nanos length) {
  const std::int64_t nanos = length.count();
  for (const Unit& unit : kUnits) {
    if (nanos < unit.from) continue;
    std::int64_t whole = nanos / unit.nanos;
    // Cannot overflow: the remainder is below a day.
    std::int64_t thousandths = ((nanos % unit.nanos) * 1000 + unit.nanos / 2) / unit.nanos;
    if (thousandths == 1000) {
      ++whole;
      thousandths = 0;
    }
    std::string text = std::to_string(whole);
    if (thousandths != 0) {
      text += '.';
      text += std::to_string(1000 + thousandths).substr(1);
      while (text.back() == '0') text.pop_back();
    }
    return text + std::string(unit.name);
  }
  return "0s";
}

}  // namespace sluice::cli
