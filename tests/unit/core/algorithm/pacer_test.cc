#include "core/algorithm/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Says;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Pacer Pace(Rate rate, std::int64_t burst, Nanos max_wait = 1h) {
  const Interval interval = MakeInterval(rate);
  return {interval, TicksOf(interval, burst), max_wait};
}

// A caller that observes every wait, like Guava's acquire.
struct Caller {
  Nanos Acquire(const Pacer& limit, std::int64_t cost = 1) {
    const Decision decision = Check(limit, tat, {cost}, now);
    EXPECT_TRUE(decision.allowed);
    now += decision.wait;
    return decision.wait;
  }

  FineTime tat;
  Time now{10s};
};

TEST(PacerTest, NextRequestWaitsForCostOfThisOne) {
  FineTime tat;
  ExpectSteps(Pace({5, 1s}, 5), tat,
              {{0ms, 5, Says::kYes, kNoUnits, 0s, 1000ms, 0s},
               {0ms, 1, Says::kYes, kNoUnits, 0s, 1200ms, 0s},
               {0ms, 1, Says::kYes, kNoUnits, 0s, 1400ms, 200ms},
               {200ms, 3, Says::kYes, kNoUnits, 0s, 1800ms, 200ms},
               {400ms, 1, Says::kYes, kNoUnits, 0s, 1800ms, 600ms}});
}

TEST(PacerTest, MatchesGuavaBurstyLimiter) {
  const Pacer limit = Pace({5, 1s}, 5);
  Caller caller;
  caller.Acquire(limit, 5);  // Guava starts empty, this pacer full
  EXPECT_EQ(caller.Acquire(limit), 0ms);
  EXPECT_EQ(caller.Acquire(limit), 200ms);
  EXPECT_EQ(caller.Acquire(limit), 200ms);
  caller.now += 200ms;
  EXPECT_EQ(caller.Acquire(limit), 0ms);
  EXPECT_EQ(caller.Acquire(limit), 200ms);
  caller.now += 400ms;
  EXPECT_EQ(caller.Acquire(limit), 0ms);
  EXPECT_EQ(caller.Acquire(limit), 0ms);
  EXPECT_EQ(caller.Acquire(limit), 200ms);
  caller.now += 2s;
  for (const std::int64_t cost : {1, 1, 3, 1}) EXPECT_EQ(caller.Acquire(limit, cost), 0ms);
  EXPECT_EQ(caller.Acquire(limit), 200ms);
}

TEST(PacerTest, MatchesGuavaCosts) {
  const Pacer limit = Pace({1, 1s}, 1);
  Caller caller;
  caller.Acquire(limit);
  const Nanos waits[] = {0s, 1s, 1s, 2s, 4s, 8s};
  const std::int64_t costs[] = {1, 1, 2, 4, 8, 1};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(caller.Acquire(limit, costs[i]), waits[i]) << i;
}

TEST(PacerTest, MatchesGuavaTryAcquire) {
  FineTime none;
  ExpectSteps(Pace({5, 1s}, 0, 0s), none,
              {{0ms},
               {0ms, 1, Says::kNo, kNoUnits, 200ms},
               {100ms, 1, Says::kNo, kNoUnits, 100ms},
               {200ms, 5},
               {1100ms, 1, Says::kNo, kNoUnits, 100ms},
               {1200ms}});
  FineTime some;
  ExpectSteps(Pace({5, 1s}, 0, 100ms), some,
              {{0ms}, {0ms, 1, Says::kNo, kNoUnits, 100ms}, {100ms, 1, Says::kYes, kNoUnits, 0s}});
}

TEST(PacerTest, Invariant1LargestTermsDoNotOverflow) {
  const Pacer limit = Pace({1, kLongestSpan / 2}, 1, kLongestSpan / 2);
  FineTime tat;
  EXPECT_TRUE(Check(limit, tat, {1}, kLatestTime).allowed);
  EXPECT_EQ(Check(limit, tat, {1}, kLatestTime).reset_after, kLongestSpan);
  EXPECT_EQ(UnusedAt(limit, tat), kLatestTime + kLongestSpan);
}

TEST(PacerTest, Invariant2CostBeyondLongestSpanNeverPassesAndSumBeyondItWaits) {
  const Pacer limit = Pace({1, kLongestSpan / 4}, 0, kLongestSpan);
  FineTime tat;
  ExpectSteps(limit, tat,
              {{0s, 5, Says::kNo, kNoUnits, kNever},
               {0s, kMax, Says::kNo, kNoUnits, kNever},
               {0s, 3, Says::kYes},
               {0s, 4, Says::kNo, kNoUnits, kLongestSpan / 4 * 3},
               {0s, 1, Says::kYes, kNoUnits, 0s, kLongestSpan, kLongestSpan / 4 * 3}});
  ExpectRetryIsExact(limit, tat, 3, 1s);
}

TEST(PacerTest, Invariant3HasNoNumberOfUnits) {
  FineTime tat;
  const Decision decision = Check(Pace({5, 1s}, 5), tat, {1}, Time{0s});
  EXPECT_EQ(decision.limit, kNoUnits);
  EXPECT_EQ(decision.remaining, kNoUnits);
}

TEST(PacerTest, Invariant4KeyIsUnusedFromResetAfterOn) {
  const Pacer limit = Pace({3, 1s}, 2, 0s);
  FineTime tat;
  const Time then = Time{1s} + Check(limit, tat, {4}, Time{1s}).reset_after;
  EXPECT_EQ(UnusedAt(limit, tat), then);
  FineTime fresh;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Check(limit, tat, {1}, then), Check(limit, fresh, {1}, then));
  }
}

TEST(PacerTest, Invariant5RefusalPeekAndZeroCostKeepTheState) {
  const Pacer limit = Pace({3, 1s}, 1, 0s);
  FineTime tat;
  Check(limit, tat, {4}, Time{1s});
  const FineTime before = tat;
  EXPECT_FALSE(Check(limit, tat, {1}, Time{1s}).allowed);
  EXPECT_FALSE(Check(limit, tat, {kMax}, Time{1s}).allowed);
  EXPECT_TRUE(Peek(limit, tat, {1}, Time{9s}).allowed);
  EXPECT_TRUE(Check(limit, tat, {0}, Time{9s}).allowed);
  EXPECT_EQ(tat, before);
}

TEST(PacerTest, PassesExactlyAtRetryAfter) {
  for (const Rate rate : {Rate{3, 1s}, Rate{7, 10ns}, Rate{1'000'003, 1s}}) {
    for (const Nanos max_wait : {0ns, 1ns}) {
      const Pacer limit = Pace(rate, 2, max_wait);
      FineTime tat;
      Check(limit, tat, {9}, Time{1ns});
      ExpectRetryIsExact(limit, tat, 1, 2ns);
    }
  }
}

TEST(PacerTest, ConvertKeepsBookedTimeLikeGuava) {
  const Pacer slow = Pace({1, 1s}, 1);
  const Pacer fast = Pace({2, 1s}, 2);
  Caller caller;
  caller.Acquire(slow);
  EXPECT_EQ(caller.Acquire(slow), 0s);
  EXPECT_EQ(caller.Acquire(slow), 1s);
  Convert(slow, fast, caller.tat, caller.now);
  const Nanos waits[] = {1s, 500ms, 1s, 2s};
  const std::int64_t costs[] = {1, 2, 4, 1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(caller.Acquire(fast, costs[i]), waits[i]) << i;
}

TEST(PacerTest, ConvertCutsStoredUnitsToNewBurst) {
  const Pacer from = Pace({1, 1s}, 10);
  FineTime tat;
  Check(from, tat, {3}, Time{0s});  // 7 stored
  FineTime grown = tat;
  FineTime unused;
  Convert(from, Pace({2, 1s}, 4), tat, Time{0s});
  EXPECT_EQ(Peek(Pace({2, 1s}, 4), tat, {0}, Time{0s}).reset_after, 0s);
  Convert(from, Pace({2, 1s}, 20), grown, Time{0s});
  EXPECT_EQ(Peek(Pace({2, 1s}, 20), grown, {0}, Time{0s}).reset_after, 6500ms);
  Convert(from, Pace({2, 1s}, 20), unused, Time{1s});
  EXPECT_EQ(Peek(Pace({2, 1s}, 20), unused, {0}, Time{1s}).reset_after, 0s);
}

TEST(PacerTest, Invariant6DebtMovesNextTurnRegardlessOfMaxWait) {
  FineTime tat;
  ExpectSteps(Pace({5, 1s}, 5, 100ms), tat,
              {Debt(0s, 5),
               {0s, 0, Says::kYes, kNoUnits, 0s, 1s, 0s},
               Debt(0s, 10),
               {0s, 0, Says::kYes, kNoUnits, 0s, 3s, 0s},
               {0s, 1, Says::kNo, kNoUnits, 1900ms, 3s},
               {1900ms, 1, Says::kYes, kNoUnits, 0s, 1300ms, 100ms}});
  const Pacer limit = Pace({7, 10ns}, 3, 5ns);
  FineTime far;
  TakeDebt(limit, far, {kMax}, kLatestTime);
  EXPECT_EQ(Peek(limit, far, {1}, kLatestTime).reset_after, kLongestSpan);
  TakeDebt(limit, far, {kMax}, kLatestTime);
  EXPECT_EQ(Peek(limit, far, {1}, kLatestTime).reset_after, kLongestSpan);
  FineTime near;
  TakeDebt(limit, near, {1'000'003}, Time{1s});
  ExpectRetryIsExact(limit, near, 2, 1s);
}

// Terms with a larger burst must not push a state further ahead than any cost under them could.
TEST(PacerTest, ConvertStaysWithinLongestSpan) {
  const Pacer from = Pace({1, 1s}, 0, 0s);
  const Pacer to = Pace({1, 1h}, 1000, 0s);
  FineTime tat;
  TakeDebt(from, tat, {kMax}, Time{0s});
  ASSERT_EQ(Peek(from, tat, {0}, Time{0s}).reset_after, kLongestSpan);
  Convert(from, to, tat, Time{0s});
  EXPECT_EQ(Peek(to, tat, {0}, Time{0s}).reset_after, kLongestSpan);
}

}  // namespace
}  // namespace sluice
