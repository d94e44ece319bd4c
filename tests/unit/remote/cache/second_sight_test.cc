#include "remote/cache/second_sight.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/random.h"

namespace sluice {
namespace {

FleetKey DrawKey(testing::Random& random) {
  return {.high = static_cast<std::uint64_t>(random.Between(INT64_MIN, INT64_MAX)),
          .low = static_cast<std::uint64_t>(random.Between(INT64_MIN, INT64_MAX))};
}

TEST(SecondSightTest, KnowsAKeyWhenItIsSeenAgain) {
  SecondSight sight(1024);
  const FleetKey key{.high = 1, .low = 2};
  EXPECT_FALSE(sight.SeenBefore(key));
  EXPECT_TRUE(sight.SeenBefore(key));
  EXPECT_TRUE(sight.SeenBefore(key));
}

TEST(SecondSightTest, TakesNoNewKeyForAKnownOne) {
  testing::Random random{7};
  SecondSight sight(1 << 12);
  int known = 0;
  for (int i = 0; i < 100'000; ++i) known += sight.SeenBefore(DrawKey(random)) ? 1 : 0;
  EXPECT_EQ(known, 0);
}

TEST(SecondSightTest, KeepsAFrequentKeyKnownInAFlood) {
  testing::Random random{7};
  SecondSight sight(1 << 12);
  const FleetKey hot{.high = 1, .low = 2};
  int known = 0;
  for (int i = 0; i < 1000; ++i) {
    known += sight.SeenBefore(hot) ? 1 : 0;
    for (int other = 0; other < 40; ++other) static_cast<void>(sight.SeenBefore(DrawKey(random)));
  }
  EXPECT_GT(known, 950);
}

}  // namespace
}  // namespace sluice
