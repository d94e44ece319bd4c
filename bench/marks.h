// Marks: what the measurements must reach.
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

// Every mark, held against the rows: keys chosen evenly, one thread, batches of 16, per second of
// CPU time; bytes are the greater of what the store counts and what the process grew by.
std::vector<Mark> JudgeMarks(const Report& report);

}  // namespace sluice::bench
