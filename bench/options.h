// Options: the command line of the benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/result.h"

namespace sluice::bench {

// The maximum number of keys that --keys accepts.
inline constexpr std::uint64_t kMaxKeys = 100'000'000;

struct Options {
  std::vector<std::uint64_t> keys;      // empty: all sizes that the algorithm and the memory allow
  std::vector<std::string> algorithms;  // empty: all
  double seconds = 0;                   // measuring time per cell of the table
  int rounds = 5;                       // into which those seconds are divided
  bool quick = false;
  bool pin = true;
  bool json = false;
  bool expect = false;
  bool usage = false;

  [[nodiscard]] bool WantsKeys(std::uint64_t count) const;
  [[nodiscard]] bool WantsAlgorithm(const std::string& name) const;
};

Result<Options> ParseOptions(int count, char** arguments);

extern const char* const kUsage;

}  // namespace sluice::bench
