// Plot: the data of one plot, and how it is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulate/envelope.h"
#include "sluice/time.h"

namespace sluice::cli {

// A request of the trace.
struct Mark {
  Time t{};
  bool allowed = true;
};

// The curve below the requests. A pacer has no units left to show, so its curve is the wait of the
// next request.
enum class CurveOf : std::uint8_t { kUnitsLeft, kWait };

// Everything that a plot shows. Plain data without synchronization.
//
// Invariant: start < end, every time is in [start, end], and both vectors are in order of time.
struct Plot {
  std::string title;  // the limit
  std::string key;    // the key whose curve is shown
  bool several_keys = false;
  Time start{};
  Time end{};
  std::vector<Mark> marks;
  CurveOf curve_of = CurveOf::kUnitsLeft;
  std::int64_t curve_top = 1;  // the limit in units, or the maximum wait in nanoseconds; above 0
  std::vector<CurvePoint> curve;
};

// Returns the plot as a self-contained SVG file without scripts, fonts or links. Its size is
// bounded for any number of marks: too many of them are drawn as bars.
std::string DrawPlot(const Plot& plot);

// Returns the plots of several limits, one below the other. REQUIRES: at least one.
std::string DrawPlots(std::span<const Plot> plots);

}  // namespace sluice::cli
