#include "simulate/plot_marks.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace sluice::cli {

std::optional<std::vector<PlacedMark>> PileMarks(std::span<const Mark> marks,
                                                 const TimeScale& scale, double pitch,
                                                 int levels_max) {
  std::vector<PlacedMark> placed;
  // The position of the last mark on each level; the level is free to the right of it.
  std::vector<double> taken(static_cast<std::size_t>(levels_max),
                            -std::numeric_limits<double>::infinity());
  for (const Mark& mark : marks) {
    const double x = scale.X(mark.t);
    const auto level =
        std::find_if(taken.begin(), taken.end(), [&](double last) { return last + pitch <= x; });
    if (level == taken.end()) return std::nullopt;
    *level = x;
    placed.push_back({x, static_cast<int>(level - taken.begin()), mark.allowed});
  }
  return placed;
}

std::vector<Bar> CountMarks(std::span<const Mark> marks, Time origin, Nanos width) {
  std::vector<Bar> bars;
  for (const Mark& mark : marks) {
    const Time from = origin + (mark.t - origin) / width * width;
    if (bars.empty() || bars.back().from != from) bars.push_back({from, 0, 0});
    ++(mark.allowed ? bars.back().allowed : bars.back().refused);
  }
  return bars;
}

}  // namespace sluice::cli
