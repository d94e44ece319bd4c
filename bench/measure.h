// Measure: decisions per second of one filled limiter, for several batch sizes and thread counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/draws.h"
#include "bench/subject.h"

namespace sluice::bench {

// One way of asking.
struct Way {
  std::size_t batch = 1;
  std::size_t threads = 1;
};

// Median over rounds; spread is greatest less least, as a share of the median.
struct PerSecond {
  double median = 0;
  double spread = 0;
};

// What one cell of the table says.
struct Cell {
  Way way;
  PerSecond cpu{};   // decisions per second of CPU time, of all deciding threads together
  PerSecond wall{};  // decisions per second of the wall
  std::uint64_t decisions = 0;
  std::uint64_t allowed = 0;
};

struct Pace {
  double seconds = 0.5;  // for each cell
  int rounds = 5;
  bool pin = true;
};

// Measures every way. Rounds of the ways alternate, so that a slow spell of the machine falls on
// all of them and the median of each leaves it out.
std::vector<Cell> MeasureWays(Filled& filled, const Draws& draws, const std::vector<Way>& ways,
                              const Pace& pace);

// Brings states to what they will be while measuring: as many decisions as a period has for a
// subject that ages, a few for others.
void WarmUp(Filled& filled, const Draws& draws);

}  // namespace sluice::bench
