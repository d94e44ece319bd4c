#include "redis/redis_jitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

using std::chrono::milliseconds;

TEST(RedisPacingTest, DoublesTheBoundUpToAMaximum) {
  const RedisPacing::Settings settings{
      .min = milliseconds{1}, .first = milliseconds{10}, .max = milliseconds{25}};
  Nanos shortest = std::chrono::hours{1};
  Nanos longest{0};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RedisJitter jitter(seed);
    RedisPacing pacing(settings);
    EXPECT_LE(pacing.Next(jitter), milliseconds{10});
    EXPECT_LE(pacing.Next(jitter), milliseconds{20});
    pacing.Next(jitter);
    const Nanos last = pacing.Next(jitter);
    shortest = std::min(shortest, last);
    longest = std::max(longest, last);
    pacing.Reset();
    EXPECT_LE(pacing.Next(jitter), milliseconds{10});
  }
  EXPECT_GE(shortest, milliseconds{1});
  EXPECT_LT(shortest, milliseconds{2});
  EXPECT_GT(longest, milliseconds{24});
  EXPECT_LE(longest, milliseconds{25});
}

TEST(RedisPacingTest, ResetsAfterAConnectionThatLastedAsLongAsTheMaximum) {
  RedisPacing pacing({.min = milliseconds{1}, .first = milliseconds{1}, .max = milliseconds{1000}});
  const auto longest = [&pacing] {
    // The longest of many waits is close to the bound.
    Nanos max{0};
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
      RedisPacing copy = pacing;
      RedisJitter jitter(seed);
      max = std::max(max, copy.Next(jitter));
    }
    return max;
  };
  RedisJitter jitter(7);
  EXPECT_EQ(longest(), milliseconds{1});
  for (int i = 0; i < 20; ++i) {
    pacing.Held(milliseconds{999});
    pacing.Next(jitter);
  }
  EXPECT_GT(longest(), milliseconds{900});
  EXPECT_LE(longest(), milliseconds{1000});
  pacing.Held(milliseconds{1000});
  EXPECT_EQ(longest(), milliseconds{1});
}

}  // namespace
}  // namespace sluice
