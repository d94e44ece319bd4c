#include "core/limit/interval.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(IntervalTest, Invariant1TicksStayInRangeForEveryRepresentableRate) {
  const Rate rates[] = {
      {1, 1ns},   {kMax, 1h},       {1, kLongestSpan}, {kMax, kLongestSpan}, {1'000'000'007, 1ns},
      {257, 1ns}, {kMax, 300'000ns}};
  for (const Rate& rate : rates) {
    SCOPED_TRACE(rate.count);
    ASSERT_TRUE(RateIsRepresentable(rate));
    const Interval interval = MakeInterval(rate);
    EXPECT_GE(interval.ticks_per_ns, 1U);
    EXPECT_LE(interval.ticks_per_ns, std::uint64_t{1} << 62U);
    EXPECT_GE(interval.ticks_per_unit, 1U);
  }
}

TEST(IntervalTest, RejectsRateBeyondTheFinestTick) {
  EXPECT_FALSE(RateIsRepresentable({kMax, 1ns}));
}

TEST(IntervalTest, Invariant2FractionIsExactUpToDenominator256) {
  struct Case {
    Rate rate;
    Interval interval;
  };
  const Case cases[] = {
      {{1, 1s}, {1'000'000'000, 1}},
      {{3, 1s}, {1'000'000'000, 3}},
      {{60, 1min}, {1'000'000'000, 1}},
      {{7, 10ns}, {10, 7}},
      {{256, 1ns}, {1, 256}},
      {{512, 2ns}, {1, 256}},
      {{255, 1s}, {1'000'000'000 / 5, 51}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rate.count);
    EXPECT_EQ(MakeInterval(c.rate), c.interval);
    EXPECT_TRUE(MakeInterval(c.rate).FractionFitsByte());
  }
}

TEST(IntervalTest, Invariant3RoundsUpByAtMostOneIn100000) {
  struct Case {
    Rate rate;
    std::uint64_t ticks_per_ns;
  };
  const Case cases[] = {
      {{257, 1s}, 256},                // 3.9 ms: 8 bits are enough
      {{1'000'003, 1s}, 256},          // 1 us * 2^8 = 255,999
      {{300'000'001, 1s}, 1U << 15U},  // 3.3 ns * 2^14 = 54,613 is too coarse
      {{257, 1ns}, 1U << 25U},         // 2^24 / 257 = 65,281 is too coarse
      {{1'000'000'007, 1ns}, 1ULL << 47U},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rate.count);
    const Interval interval = MakeInterval(c.rate);
    EXPECT_EQ(interval.ticks_per_ns, c.ticks_per_ns);
    const Uint128 exact = static_cast<Uint128>(c.rate.period.count()) * interval.ticks_per_ns;
    const Uint128 kept = static_cast<Uint128>(c.rate.count) * interval.ticks_per_unit;
    EXPECT_TRUE(kept >= exact) << "faster than written";
    EXPECT_TRUE(kept - exact < static_cast<Uint128>(c.rate.count)) << "more than one tick slower";
    EXPECT_TRUE((kept - exact) * 100'000 <= exact) << "too slow";
  }
}

TEST(IntervalTest, TicksAheadOfPastTimeAreZero) {
  const Interval third{10, 3};
  EXPECT_TRUE(TicksAhead(third, {Time{5ns}, 2}, Time{6ns}) == 0);
  EXPECT_TRUE(TicksAhead(third, {Time{6ns}, 2}, Time{6ns}) == 2);
  EXPECT_TRUE(TicksAhead(third, {Time{8ns}, 1}, Time{6ns}) == 7);
}

TEST(IntervalTest, AfterTicksIsTheInverseOfTicksAhead) {
  for (const Interval& interval : {Interval{10, 3}, Interval{7, 1}, Interval{1, 256}}) {
    for (std::uint64_t ticks = 0; ticks < 1000; ++ticks) {
      const FineTime then = AfterTicks(interval, Time{17ns}, ticks);
      ASSERT_LT(then.fraction, interval.ticks_per_ns);
      ASSERT_TRUE(TicksAhead(interval, then, Time{17ns}) == ticks);
    }
  }
}

TEST(IntervalTest, RoundsUpToNextNanosecond) {
  const Interval third{10, 3};
  EXPECT_EQ(RoundUp(third, 0), 0ns);
  EXPECT_EQ(RoundUp(third, 1), 1ns);
  EXPECT_EQ(RoundUp(third, 3), 1ns);
  EXPECT_EQ(RoundUp(third, 4), 2ns);
  EXPECT_EQ(RoundUp(FineTime{Time{4ns}, 0}), Time{4ns});
  EXPECT_EQ(RoundUp(FineTime{Time{4ns}, 1}), Time{5ns});
}

}  // namespace
}  // namespace sluice
