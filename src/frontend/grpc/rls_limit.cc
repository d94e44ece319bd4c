#include "frontend/grpc/rls_limit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace sluice {
namespace {

using Period = LimitOverride::Period;

struct Unit {
  RlsUnit told;
  Period brought;
  Nanos length;  // months have 30 days and years 365, as in limits
};

// Ordered from the longest to the shortest.
constexpr std::array kUnits = {
    Unit{RlsUnit::kYear, Period::kYear, std::chrono::hours(365 * 24)},
    Unit{RlsUnit::kMonth, Period::kMonth, std::chrono::hours(30 * 24)},
    Unit{RlsUnit::kWeek, Period::kWeek, std::chrono::hours(7 * 24)},
    Unit{RlsUnit::kDay, Period::kDay, std::chrono::hours(24)},
    Unit{RlsUnit::kHour, Period::kHour, std::chrono::hours(1)},
    Unit{RlsUnit::kMinute, Period::kMinute, std::chrono::minutes(1)},
    Unit{RlsUnit::kSecond, Period::kSecond, std::chrono::seconds(1)},
};

}  // namespace

std::uint32_t CutToUint32(std::int64_t number) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, kMax));
}

RlsLimit TellLimit(const Limit& limit, std::string_view name) {
  RlsLimit told;
  told.name = name;
  if (!limit.spec.rate) return told;
  const Rate& rate = *limit.spec.rate;
  told.requests_per_unit = CutToUint32(rate.count);
  const auto* unit = std::ranges::find_if(
      kUnits, [&](const Unit& each) { return rate.period % each.length == Nanos(0); });
  if (unit == kUnits.end()) return told;
  told.unit = unit->told;
  told.multiplier = CutToUint32(rate.period / unit->length);
  return told;
}

std::optional<LimitOverride> ReadOverride(const RlsOverride& brought) {
  const auto* unit = std::ranges::find(kUnits, brought.unit, &Unit::told);
  if (unit == kUnits.end() || brought.multiplier != 1) return std::nullopt;
  return LimitOverride{brought.requests_per_unit, unit->brought};
}

}  // namespace sluice
