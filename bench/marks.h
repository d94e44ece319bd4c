// Marks: the targets that the measurements must reach.
#pragma once

#include <string>
#include <vector>

#include "bench/report.h"

namespace sluice::bench {

struct Mark {
  enum class State : std::uint8_t { kReached, kMissed, kNotMeasured };
  std::string what;
  std::string measured{};
  State state = State::kNotMeasured;
};

// Compares every mark with the rows for uniform keys. Rates are per second of CPU time, on one
// thread with batches of 16. Bytes are the larger of the store's own count and the growth of the
// process.
std::vector<Mark> JudgeMarks(const Report& report);

}  // namespace sluice::bench
