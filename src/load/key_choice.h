// KeyChoice: chooses the key of each request.
#pragma once

#include <cstdint>
#include <random>

#include "load/task_slice.h"
#include "load/zipf.h"

namespace sluice {

enum class KeyDistribution : std::uint8_t {
  kUniform,
  kZipf,        // the n-th most popular key has weight n^-0.99
  kHot,         // nine of ten requests use the first key, the other keys share the rest
  kSequential,  // one after another, starting over at the end
};

// Chooses key numbers, which begin with 0.
//
// Thread safety: none. The same seed and slice give the same keys.
class KeyChoice {
 public:
  // REQUIRES: keys > 0.
  KeyChoice(KeyDistribution distribution, std::uint64_t keys, std::uint64_t seed, TaskSlice slice);

  std::uint64_t Next();

 private:
  KeyDistribution distribution_;
  std::uint64_t keys_;
  std::mt19937_64 engine_;
  Zipf zipf_;
  std::uint64_t next_;  // of kSequential
  std::uint64_t step_;
};

}  // namespace sluice
