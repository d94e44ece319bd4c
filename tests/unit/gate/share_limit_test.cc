#include "gate/share_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include "core/limit/format_limit.h"
#include "core/limit/parse_limit.h"
#include "gate_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

LimitSpec SharedSpec(const LimitSpec& spec, std::uint32_t nodes) {
  return ShareOf(LimitOf(spec), {nodes}).spec;
}

TEST(ShareLimitTest, BucketRefillsMoreSlowlyAndHoldsLess) {
  const LimitSpec share = SharedSpec({.rate = Rate{100, 1min}, .burst = 20}, 4);
  EXPECT_EQ(share.rate->count, 100);
  EXPECT_EQ(share.rate->period, 4min);
  EXPECT_EQ(share.burst, Fraction{5});
}

TEST(ShareLimitTest, BurstIsAtLeastOne) {
  EXPECT_EQ(SharedSpec({.rate = Rate{3, 1s}}, 10).burst, Fraction{1});
}

TEST(ShareLimitTest, QueueMayBecomeEmpty) {
  const LimitSpec spec{.algorithm = Algorithm::kLeakyBucket, .rate = Rate{3, 1s}, .burst = 2};
  EXPECT_EQ(SharedSpec(spec, 3).burst, Fraction{0});
}

TEST(ShareLimitTest, WindowHoldsLess) {
  const LimitSpec spec{.algorithm = Algorithm::kFixedWindow, .rate = Rate{1000, 1h}};
  const LimitSpec share = SharedSpec(spec, 3);
  EXPECT_EQ(share.rate->count, 333);
  EXPECT_EQ(share.rate->period, 1h);
}

TEST(ShareLimitTest, WindowForLessThanOneUnitIsLonger) {
  const LimitSpec spec{.algorithm = Algorithm::kSlidingLog, .rate = Rate{2, 1min}};
  const LimitSpec share = SharedSpec(spec, 5);
  EXPECT_EQ(share.rate->count, 1);
  EXPECT_EQ(share.rate->period, 3min);
}

TEST(ShareLimitTest, BlockingLimitStillBlocks) {
  const LimitSpec spec{.algorithm = Algorithm::kFixedWindow, .rate = Rate{0, 1min}};
  EXPECT_EQ(SharedSpec(spec, 5).rate->count, 0);
}

TEST(ShareLimitTest, SharesPermits) {
  const LimitSpec spec{.algorithm = Algorithm::kConcurrency, .max_in_flight = 9};
  EXPECT_EQ(SharedSpec(spec, 2).max_in_flight, 4);
}

TEST(ShareLimitTest, OneNodeHasTheWholeLimit) {
  const Limit whole = LimitOf(std::string("7/s"));
  EXPECT_EQ(ShareOf(whole, {1}), whole);
}

TEST(ShareLimitTest, LimitThatCannotBeStretchedStaysWhole) {
  const Limit whole = LimitOf(LimitSpec{.rate = Rate{1, std::chrono::hours{24 * 365 * 60}}});
  EXPECT_EQ(ShareOf(whole, {2}), whole);
}

// A calendar window cannot be longer, so a share of less than one unit becomes one.
TEST(ShareLimitTest, CalendarWindowIsNeverLonger) {
  LimitSpec spec{.algorithm = Algorithm::kFixedWindow,
                 .rate = Rate{2, 24h, CalendarUnit::kDay},
                 .window = WindowKind::kCalendar};
  const LimitSpec share = SharedSpec(spec, 4);
  EXPECT_EQ(share.rate->count, 1);
  EXPECT_EQ(share.rate->unit, CalendarUnit::kDay);
  EXPECT_EQ(share.rate->period, 24h);
  EXPECT_EQ(share.window, WindowKind::kCalendar);
}

TEST(ShareLimitTest, RoundsFleetSizesUpToAFewValues) {
  EXPECT_EQ(RoundUpFleet({0}).nodes, 1U);
  for (std::uint32_t nodes = 1; nodes <= 8; ++nodes) EXPECT_EQ(RoundUpFleet({nodes}).nodes, nodes);
  EXPECT_EQ(RoundUpFleet({9}).nodes, 10U);
  EXPECT_EQ(RoundUpFleet({10}).nodes, 10U);
  EXPECT_EQ(RoundUpFleet({33}).nodes, 40U);
  EXPECT_EQ(RoundUpFleet({UINT32_MAX}).nodes, kFleetMax);
  std::set<std::uint32_t> sizes;
  for (std::uint32_t nodes = 1; nodes <= kFleetMax; ++nodes) {
    const std::uint32_t rounded = RoundUpFleet({nodes}).nodes;
    ASSERT_GE(rounded, nodes);
    ASSERT_LT(4 * rounded, 5 * nodes + 4) << nodes;
    sizes.insert(rounded);
  }
  EXPECT_LE(sizes.size(), 60U);
}

}  // namespace
}  // namespace sluice::testing
