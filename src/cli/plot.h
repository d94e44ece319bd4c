// Plot: the picture of one run, and how it is drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/envelope.h"
#include "sluice/time.h"

namespace sluice::cli {

// One request of the trace.
struct Mark {
  Time t{};
  bool allowed = true;
};

// What the curve under the requests shows. A pacer has no units left to show, so it shows how long
// the next request would have to wait.
enum class CurveOf : std::uint8_t { kUnitsLeft, kWait };

// Everything a picture shows. Thread safety: a value.
//
// Invariant: start < end, and every time lies in [start, end]. Both vectors are in order of time.
struct Plot {
  std::string title;  // the limit
  std::string key;    // whose curve it is
  bool several_keys = false;
  Time start{};
  Time end{};
  std::vector<Mark> marks;
  CurveOf curve_of = CurveOf::kUnitsLeft;
  std::int64_t curve_top = 1;  // the limit in units, or the longest wait in nanoseconds; above 0
  std::vector<CurvePoint> curve;
};

// The picture as an SVG file that needs nothing else: no scripts, fonts or links. Its size is
// bounded however many marks there are: where they do not fit as single ones they become bars.
std::string DrawPlot(const Plot& plot);

// The pictures of several limits, one below the other. REQUIRES: at least one.
std::string DrawPlots(std::span<const Plot> plots);

}  // namespace sluice::cli
