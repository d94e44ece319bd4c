// Options: what the command line asks the benchmark to measure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/result.h"

namespace sluice::bench {

// Numbers of keys that are measured unless --keys says otherwise; 1 is the hot key.
inline constexpr std::uint64_t kKeysMost = 100'000'000;

struct Options {
  std::vector<std::uint64_t> keys;      // empty: every size that the algorithm and memory allow
  std::vector<std::string> algorithms;  // empty: all
  double seconds = 0;                   // of measuring, for each cell of the table
  int rounds = 5;                       // that those seconds are cut into
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
