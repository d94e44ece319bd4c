// How the requests of a plot are laid out: as single marks, or as bars where there are too many.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cli/plot.h"
#include "sluice/time.h"

namespace sluice::cli {

// A mark at its place: `x` as on the paper, `level` counted from the axis.
struct PlacedMark {
  double x = 0;
  int level = 0;
  bool allowed = true;
};

// Maps times to places across the paper.
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

// Puts every mark at its own time, on the lowest level where it touches no other: marks at one
// instant pile up in their order. None where more than `levels_max` levels would be needed.
std::optional<std::vector<PlacedMark>> PileMarks(std::span<const Mark> marks,
                                                 const TimeScale& scale, double pitch,
                                                 int levels_max);

// The requests of one stretch of time [from, from + width).
struct Bar {
  Time from{};
  std::int64_t allowed = 0;
  std::int64_t refused = 0;
};

// Counts marks in stretches of `width` that begin at `origin`; stretches without marks are left
// out. REQUIRES: marks in order of time, none before origin.
std::vector<Bar> CountMarks(std::span<const Mark> marks, Time origin, Nanos width);

}  // namespace sluice::cli
