// Scales of a plot: which ticks an axis gets, and how times and units are written beside them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/time.h"

namespace sluice::cli {

// A mark on an axis.
struct Tick {
  std::int64_t value = 0;
  std::string label;
};

// The smallest step a person would choose (1, 2, 5, 10 and so on; 15 and 30 for seconds and
// minutes; 3, 6 and 12 for hours) that cuts `span` in at most `parts_max` parts.
// REQUIRES: span > 0, parts_max > 0.
Nanos NiceTimeStep(Nanos span, std::int64_t parts_max);

// The same for units: 1, 2 or 5 times a power of ten.
// REQUIRES: top > 0, parts_max > 0.
std::int64_t NiceUnitStep(std::int64_t top, std::int64_t parts_max);

// Ticks on the multiples of NiceTimeStep in [start, end], each labelled with its unit; `value` is
// in nanoseconds.
std::vector<Tick> TimeTicks(Nanos start, Nanos end, std::int64_t parts_max);

// Ticks from 0 to at most `top`.
std::vector<Tick> UnitTicks(std::int64_t top, std::int64_t parts_max);

// "1,234,567", and "12 M" and the like for whole millions.
std::string UnitsText(std::int64_t units);

}  // namespace sluice::cli
