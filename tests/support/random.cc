#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace sluice::testing {
namespace {

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

Seeds::Seeds(int cases) {
  const std::uint64_t runs = FromEnvironment("SLUICE_RUNS", 1);
  last_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(cases) * runs);
  if (const std::uint64_t only = FromEnvironment("SLUICE_SEED", 0); only != 0) {
    first_ = only;
    last_ = only;
  }
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first_),
              static_cast<unsigned long long>(last_));
}

bool Seeds::GoOn(std::uint64_t seed) {
  if (!::testing::Test::HasFailure()) return true;
  std::printf("failed with seed %llu; see it again with SLUICE_SEED=%llu\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(seed));
  return false;
}

}  // namespace sluice::testing
