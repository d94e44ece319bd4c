#include "simulate/plot_scale.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace sluice::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// From a second on, steps are not powers of ten.
constexpr std::array kLongSteps = {
    1 * kSecond, 2 * kSecond, 5 * kSecond, 10 * kSecond, 15 * kSecond, 30 * kSecond,
    1 * kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
    1 * kHour,   2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour};

bool Cuts(std::int64_t span, std::int64_t step, std::int64_t parts_max) {
  return span / step < parts_max || (span / step == parts_max && span % step == 0);
}

// Returns the first of 1, 2, 5, 10, 20, 50... times `unit` that is coarse enough.
std::int64_t DecimalStep(std::int64_t unit, std::int64_t span, std::int64_t parts_max) {
  for (std::int64_t scale = 1;; scale *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      const std::int64_t step = digit * scale * unit;
      if (Cuts(span, step, parts_max)) return step;
      // The next step might overflow.
      if (step > INT64_MAX / 3) return step;
    }
  }
}

// The unit in which ticks are labelled, and its length.
struct TickUnit {
  std::string_view name;
  std::int64_t nanos;
};

TickUnit UnitFor(std::int64_t step, std::int64_t end) {
  for (const TickUnit unit :
       {TickUnit{"d", kDay}, {"h", kHour}, {"min", kMinute}, {"s", kSecond}}) {
    if (step % unit.nanos == 0) return unit;
  }
  for (const TickUnit unit : {TickUnit{"s", kSecond}, {"ms", 1'000'000}, {"µs", 1'000}}) {
    if (end >= unit.nanos) return unit;
  }
  return {"ns", 1};
}

// Formats value / unit without trailing zeros. This is exact: units below a minute are powers of
// ten, and ticks in larger units are whole.
std::string InUnit(std::int64_t value, const TickUnit& unit) {
  std::string text = std::to_string(value / unit.nanos);
  std::int64_t rest = value % unit.nanos;
  if (rest != 0) text += '.';
  for (std::int64_t place = unit.nanos / 10; rest != 0 && place > 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

}  // namespace

Nanos NiceTimeStep(Nanos span, std::int64_t parts_max) {
  if (Cuts(span.count(), kSecond / 2, parts_max)) {
    return Nanos(DecimalStep(1, span.count(), parts_max));
  }
  for (const std::int64_t step : kLongSteps) {
    if (Cuts(span.count(), step, parts_max)) return Nanos(step);
  }
  return Nanos(DecimalStep(kDay, span.count(), parts_max));
}

std::int64_t NiceUnitStep(std::int64_t top, std::int64_t parts_max) {
  return DecimalStep(1, top, parts_max);
}

std::vector<Tick> TimeTicks(Nanos start, Nanos end, std::int64_t parts_max) {
  const std::int64_t step = NiceTimeStep(end - start, parts_max).count();
  const TickUnit unit = UnitFor(step, end.count());
  std::vector<Tick> ticks;
  for (std::int64_t at = (start.count() + step - 1) / step * step; at <= end.count(); at += step) {
    ticks.push_back({at, at == 0 ? "0" : InUnit(at, unit) + " " + std::string(unit.name)});
  }
  return ticks;
}

std::vector<Tick> UnitTicks(std::int64_t top, std::int64_t parts_max) {
  const std::int64_t step = NiceUnitStep(top, parts_max);
  std::vector<Tick> ticks;
  for (std::int64_t i = 0; i <= top / step; ++i) {
    ticks.push_back({i * step, UnitsText(i * step)});
  }
  return ticks;
}

std::string UnitsText(std::int64_t units) {
  struct Scale {
    std::int64_t units;
    std::string_view name;
  };
  for (const Scale scale :
       {Scale{1'000'000'000'000, " T"}, {1'000'000'000, " G"}, {1'000'000, " M"}}) {
    if (units >= scale.units && units % (scale.units / 10) == 0) {
      const std::int64_t tenths = units / (scale.units / 10);
      std::string text = std::to_string(tenths / 10);
      if (tenths % 10 != 0) {
        text += '.';
        text += std::to_string(tenths % 10);
      }
      return text.append(scale.name);
    }
  }
  std::string text = std::to_string(units);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace sluice::cli
