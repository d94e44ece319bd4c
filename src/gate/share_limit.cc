#include "gate/share_limit.h"

#include <algorithm>
#include <bit>
#include <variant>

#include "core/limit/limit_defaults.h"

namespace sluice {
namespace {

std::int64_t PartOf(std::int64_t units, FleetSize fleet) {
  return std::max<std::int64_t>(1, units / fleet.nodes);
}

// Cuts the count, because a count in a window is a burst, too; a count of less than one becomes one
// in a longer window.
void CutWindow(FleetSize fleet, LimitSpec& spec) {
  Rate& rate = *spec.rate;
  if (rate.count == 0) return;
  const bool is_calendar = spec.window == WindowKind::kCalendar;
  if (rate.count < fleet.nodes && !is_calendar) {
    const std::int64_t times = (fleet.nodes + rate.count - 1) / rate.count;
    rate.period *= times;
    rate.unit.reset();
  }
  rate.count = PartOf(rate.count, fleet);
}

void CutRate(FleetSize fleet, LimitSpec& spec) {
  spec.rate->period *= fleet.nodes;
  spec.rate->unit.reset();
  if (!spec.burst) return;
  const std::int64_t min = spec.algorithm == Algorithm::kLeakyBucket ? 0 : 1;
  const std::int64_t whole = spec.burst->numerator / spec.burst->denominator;
  spec.burst = Fraction{std::max(min, whole / static_cast<std::int64_t>(fleet.nodes))};
}

void Cut(FleetSize fleet, LimitSpec& spec) {
  switch (spec.algorithm) {
    case Algorithm::kTokenBucket:
    case Algorithm::kLeakyBucket:
    case Algorithm::kPacer:
      return CutRate(fleet, spec);
    case Algorithm::kFixedWindow:
    case Algorithm::kSlidingLog:
    case Algorithm::kSlidingWindow:
    case Algorithm::kSlidingBuckets:
      return CutWindow(fleet, spec);
    case Algorithm::kConcurrency:
      spec.max_in_flight = PartOf(*spec.max_in_flight, fleet);
      return;
  }
}

// Returns the zone that the terms already have.
ZoneSource ZonesOf(const Limit& limit) {
  return [&limit](std::string_view /*name*/) -> std::shared_ptr<const Zone> {
    const auto* const window = std::get_if<FixedWindow>(&limit.terms);
    return window == nullptr ? nullptr : window->zone;
  };
}

}  // namespace

FleetSize RoundUpFleet(FleetSize fleet) {
  constexpr std::uint32_t kExact = 8;
  constexpr std::uint32_t kSteps = 4;  // between powers of two
  const std::uint32_t nodes = std::clamp<std::uint32_t>(fleet.nodes, 1, kFleetMax);
  if (nodes <= kExact) return {nodes};
  const std::uint32_t step = std::bit_floor(nodes) / kSteps;
  return {(nodes + step - 1) / step * step};
}

Limit ShareOf(const Limit& whole, FleetSize fleet) {
  if (fleet.nodes <= 1) return whole;
  LimitSpec spec = WithDefaults(whole.spec);
  if (spec.rate && spec.rate->period > kLongestSpan / static_cast<std::int64_t>(fleet.nodes)) {
    return whole;
  }
  Cut(fleet, spec);
  auto made = MakeLimit(spec, ZonesOf(whole));
  Limit* const share = std::get_if<Limit>(&made);
  if (share == nullptr) return whole;
  return std::move(*share);
}

}  // namespace sluice
