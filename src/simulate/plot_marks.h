// The layout of the requests in a plot: as single marks, or as bars if there are too many.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/plot.h"
#include "sluice/time.h"

namespace sluice::cli {

// A mark with its position: `x` in SVG units, `level` counted from the axis.
struct PlacedMark {
  double x = 0;
  int level = 0;
  bool allowed = true;
};

// Maps times to horizontal positions.
struct TimeScale {
  Time start{};
  Nanos span{1};
  double left = 0;
  double width = 0;

  [[nodiscard]] double X(Time t) const {
    return left +
           width * (static_cast<double>((t - start).count()) / static_cast<double>(span.count()));
  }
};

// Places every mark at its time, on the lowest level on which it touches no other mark. Marks at
// one instant are stacked in their order. Returns nothing if more than `levels_max` levels would be
// needed.
std::optional<std::vector<PlacedMark>> PileMarks(std::span<const Mark> marks,
                                                 const TimeScale& scale, double pitch,
                                                 int levels_max);

// The number of requests in the interval [from, from + width).
struct Bar {
  Time from{};
  std::int64_t allowed = 0;
  std::int64_t refused = 0;
};

// Counts the marks in intervals of `width` that start at `origin`, without empty intervals.
// REQUIRES: marks are in order of time, none before origin.
std::vector<Bar> CountMarks(std::span<const Mark> marks, Time origin, Nanos width);

}  // namespace sluice::cli
