// Growth: how long single checks take while the table grows, beside loops that check nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/result.h"

namespace sluice::bench {

// Nanoseconds.
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
  std::uint64_t slots_moved_most = 0;  // by any one operation
  std::vector<Latencies> lines{};
};

// Adds keys to a token_bucket limit one check at a time, from none to `keys`, timing each; then in
// the same loop, in turns of a few thousand, times nothing at all, and a busy loop that lasts as
// long as the median check. What interrupts the machine falls on all three; on the busy loop as
// often as on the checks.
Result<Growth> MeasureGrowth(std::uint64_t keys);

}  // namespace sluice::bench
