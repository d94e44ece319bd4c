// Growth: the latency of single checks while the table grows, compared with loops that check
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/result.h"

namespace sluice::bench {

// Percentiles of one loop, in nanoseconds.
struct Latencies {
  std::string what;
  double p50 = 0;
  double p99 = 0;
  double p99_9 = 0;
  double p99_99 = 0;
  double max = 0;
};

struct Growth {
  std::uint64_t keys = 0;
  std::uint64_t max_slots_moved = 0;  // by any one operation
  std::vector<Latencies> lines{};
};

// Adds keys to a token_bucket limit with one check each, from none to `keys`, and times every
// check. Alternates in blocks of a few thousand with two control loops that are timed in the same
// way: one does nothing, the other is busy for as long as the median check. Interruptions by the
// machine affect all three loops, and the busy loop as often as the checks.
Result<Growth> MeasureGrowth(std::uint64_t keys);

}  // namespace sluice::bench
