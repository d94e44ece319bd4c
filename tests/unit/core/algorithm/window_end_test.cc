#include "core/algorithm/window_end.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/random_limit.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::MustMake;

LimitSpec SpecOf(Algorithm algorithm) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{100, minutes{1}};
  return spec;
}

TEST(WindowEndTest, ReturnsEndOfWindowOfCharge) {
  const Time at{hours{100} + seconds{30} + milliseconds{250}};
  Decision decision;
  decision.reset_after = seconds{7};
  EXPECT_FALSE(WindowEnd(MustMake(SpecOf(Algorithm::kTokenBucket)), decision, at));
  EXPECT_FALSE(WindowEnd(MustMake(SpecOf(Algorithm::kSlidingLog)), decision, at));
  EXPECT_EQ(WindowEnd(MustMake(SpecOf(Algorithm::kFixedWindow)), decision, at), at + seconds{7});
  EXPECT_EQ(WindowEnd(MustMake(SpecOf(Algorithm::kSlidingWindow)), decision, at),
            Time{hours{100} + minutes{1}});
  EXPECT_EQ(WindowEnd(MustMake(SpecOf(Algorithm::kSlidingBuckets)), decision, at),
            Time{hours{100} + seconds{31}});
}

TEST(WindowEndTest, ReturnsUnitsOfIntervalRefillUntilNextRefill) {
  LimitSpec spec = SpecOf(Algorithm::kTokenBucket);
  spec.refill = Refill::kInterval;
  const Limit limit = MustMake(spec);
  const Time at{hours{100}};
  const auto until = [&](Nanos reset_after) {
    Decision decision;
    decision.reset_after = reset_after;
    return ReturnableUntil(limit, decision, at);
  };
  EXPECT_EQ(until(seconds{0}), at);
  EXPECT_EQ(until(seconds{30}), at + seconds{30});
  EXPECT_EQ(until(minutes{1}), at + minutes{1});
  EXPECT_EQ(until(minutes{3}), at + minutes{1});
  EXPECT_EQ(until(minutes{3} + seconds{1}), at + seconds{1});
}

}  // namespace
}  // namespace sluice
