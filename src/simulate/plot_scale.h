// Scales of a plot: the ticks of an axis and the labels of times and units.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/time.h"

namespace sluice::cli {

// A tick on an axis.
struct Tick {
  std::int64_t value = 0;
  std::string label;
};

// Returns the smallest round step (1, 2, 5, 10 and so on; also 15 and 30 for seconds and minutes;
// 3, 6 and 12 for hours) that divides `span` into at most `parts_max` parts. REQUIRES: span > 0,
// parts_max > 0.
Nanos NiceTimeStep(Nanos span, std::int64_t parts_max);

// Returns such a step for units: 1, 2 or 5 times a power of ten. REQUIRES: top > 0, parts_max > 0.
std::int64_t NiceUnitStep(std::int64_t top, std::int64_t parts_max);

// Returns ticks at the multiples of NiceTimeStep in [start, end], labelled with their unit. `value`
// is in nanoseconds.
std::vector<Tick> TimeTicks(Nanos start, Nanos end, std::int64_t parts_max);

// Returns ticks from 0 to at most `top`.
std::vector<Tick> UnitTicks(std::int64_t top, std::int64_t parts_max);

// Formats units as "1,234,567", or as "12 M" (also G and T) if at most one decimal is enough.
std::string UnitsText(std::int64_t units);

}  // namespace sluice::cli
