// Measure: decisions per second of a filled limiter, for several batch sizes and thread counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/draws.h"
#include "bench/subject.h"

namespace sluice::bench {

// A batch size and a number of threads.
struct Way {
  std::size_t batch = 1;
  std::size_t threads = 1;
};

// The median over rounds. The spread is the maximum less the minimum, as a share of the median.
struct PerSecond {
  double median = 0;
  double spread = 0;
};

// The results in one cell of the table.
struct Cell {
  Way way;
  PerSecond cpu{};   // decisions per second of CPU time, summed over the deciding threads
  PerSecond wall{};  // decisions per second of wall time
  std::uint64_t decisions = 0;
  std::uint64_t allowed = 0;
};

struct Pace {
  double seconds = 0.5;  // per cell
  int rounds = 5;
  bool pin = true;
};

// Measures every way. Rounds of the ways alternate, so that a slow phase of the machine affects all
// of them and their medians exclude it.
std::vector<Cell> MeasureWays(Filled& filled, const Draws& draws, const std::vector<Way>& ways,
                              const Pace& pace);

// Brings the states into the condition they have while measuring: makes as many decisions as a
// period has for a subject that ages, and a few for others.
void WarmUp(Filled& filled, const Draws& draws);

}  // namespace sluice::bench
