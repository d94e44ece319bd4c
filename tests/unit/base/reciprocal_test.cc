#include "base/reciprocal.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

constexpr std::uint64_t kMax = (std::uint64_t{1} << 63U) - 1;

void ExpectExact(std::uint64_t dividend, std::uint64_t divisor) {
  ASSERT_EQ(Reciprocal{divisor}.Floor(dividend), dividend / divisor)
      << dividend << " / " << divisor;
}

// Divides the numbers for which a multiplier that is off by one would show first: those around
// multiples of the divisor, and the largest dividend.
void ExpectExactAround(std::uint64_t divisor, Random& random) {
  const auto quotient =
      static_cast<std::uint64_t>(random.Between(0, static_cast<std::int64_t>(kMax / divisor)));
  for (const std::uint64_t multiple : {quotient * divisor, kMax / divisor * divisor}) {
    ExpectExact(multiple, divisor);
    if (multiple > 0) ExpectExact(multiple - 1, divisor);
    if (multiple < kMax) ExpectExact(multiple + 1, divisor);
  }
  ExpectExact(0, divisor);
  ExpectExact(kMax, divisor);
}

TEST(ReciprocalTest, DividesExactlyByAnyNumber) {
  ForEachSeed(2000, [](Random& random) {
    const auto divisor =
        static_cast<std::uint64_t>(random.Spread(1, static_cast<std::int64_t>(kMax)));
    ExpectExactAround(divisor, random);
  });
}

TEST(ReciprocalTest, DividesExactlyByPowersOfTwoAndTheirNeighbors) {
  Random random{1};
  for (unsigned bit = 0; bit <= 63; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    ExpectExactAround(power, random);
    if (power > 1) ExpectExactAround(power - 1, random);
    if (bit < 63) ExpectExactAround(power + 1, random);
  }
}

}  // namespace
}  // namespace sluice
