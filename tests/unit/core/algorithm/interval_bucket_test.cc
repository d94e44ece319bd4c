#include "core/algorithm/interval_bucket.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "core/algorithm/debt.h"
#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRemainingIsExact;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Op;
using testing::Says;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

IntervalBucket Bucket(Rate rate, std::int64_t burst, Nanos max_wait = 0ns) {
  return {rate, burst, max_wait, RefillPhase::kFromFirstCharge};
}

IntervalBucket Aligned(Rate rate, std::int64_t burst, Nanos max_wait = 0ns) {
  return {rate, burst, max_wait, RefillPhase::kAligned};
}

TEST(IntervalBucketTest, ReturnsAllTokensAtOnceEveryPeriod) {
  IntervalBucket::State state;
  ExpectSteps(Bucket({9, 10ns}, 9), state,
              {{0ns, 9},
               {4ns, 0, Says::kYes, 0},
               {9ns, 1, Says::kNo, 0, 1ns, 1ns},
               {10ns, 0, Says::kYes, 9, 0ns, 0ns},
               {11ns, 0, Says::kYes, 9}});
}

TEST(IntervalBucketTest, MatchesBucket4jWaits) {
  IntervalBucket::State minute;
  ExpectSteps(Bucket({10, 1min}, 10), minute,
              {{0s, 10, Says::kYes, 0, 0s, 60s},
               {0s, 1, Says::kNo, 0, 60s, 60s, 0s, Op::kPeek},
               {0s, 10, Says::kNo, 0, 60s, 60s, 0s, Op::kPeek},
               {15s, 1, Says::kNo, 0, 45s, 45s},
               {15s, 15, Says::kNo, 0, kNever, 45s},
               {60s, 10, Says::kYes, 0, 0s, 60s}});
  IntervalBucket::State some;
  ExpectSteps(Bucket({100, 100ns}, 100), some, {{0ns, 30}, {0ns, 80, Says::kNo, 70, 100ns}});
  IntervalBucket::State debt;
  ExpectSteps(Bucket({2, 100ns}, 10, 10us), debt,
              {{0ns, 10}, {0ns, 10}, {0ns, 10}, {0ns, 3, Says::kYes, 0, 0ns, 1700ns, 1200ns}});
}

TEST(IntervalBucketTest, RefillsAtMultiplesOfPeriodIfAligned) {
  IntervalBucket::State state;
  ExpectSteps(Aligned({200, 1min}, 400), state,
              {{80s, 400, Says::kYes, 0, 0s, 100s},
               {90s, 1, Says::kNo, 0, 30s},
               {120s, 0, Says::kYes, 200},
               {165s, 0, Says::kYes, 200, 0s, 15s},
               {180s, 0, Says::kYes, 400, 0s, 0s},
               {180s, 401, Says::kNo, 400, kNever}});
  IntervalBucket::State idle;
  ExpectSteps(Aligned({10, 100ms}, 10), idle,
              {{200ms, 10}, {32849ms, 10, Says::kYes, 0, 0s, 51ms}});
}

TEST(IntervalBucketTest, StartsPhaseAtFirstChargeOfFullBucket) {
  IntervalBucket::State state;
  ExpectSteps(Bucket({1, 10s}, 2), state,
              {{3s, 1, Says::kYes, 1, 0s, 10s},
               {8s, 1, Says::kYes, 0, 0s, 15s},
               {13s, 0, Says::kYes, 1, 0s, 10s},
               {23s, 0, Says::kYes, 2, 0s, 0s},
               {29s, 1, Says::kYes, 1, 0s, 10s}});
}

TEST(IntervalBucketTest, MatchesResilience4jReservations) {
  IntervalBucket::State state;
  ExpectSteps(Aligned({3, 10ms}, 3, 12ms), state,
              {{10ms + 1ns, 1, Says::kYes, 2, 0ns, 9'999'999ns, 0ns},
               {10ms + 2ns, 1, Says::kYes, 1, 0ns, 9'999'998ns, 0ns},
               {10ms + 3ns, 1, Says::kYes, 0, 0ns, 9'999'997ns, 0ns},
               {10ms + 4ns, 1, Says::kYes, 0, 0ns, 19'999'996ns, 9'999'996ns},
               {10ms + 5ns, 1, Says::kYes, 0, 0ns, 19'999'995ns, 9'999'995ns},
               {10ms + 6ns, 1, Says::kYes, 0, 0ns, 19'999'994ns, 9'999'994ns},
               {10ms + 7ns, 1, Says::kNo, 0, 7'999'993ns, 19'999'993ns, 0ns}});
  IntervalBucket::State one;
  ExpectSteps(Aligned({1, 250ms}, 1, 250ms), one,
              {{250ms, 1, Says::kYes, 0, 0ns, 250ms, 0ns},
               {250ms, 1, Says::kYes, 0, 0ns, 500ms, 250ms},
               {250ms, 1, Says::kNo, 0, 250ms},
               {1500ms, 0, Says::kYes, 1}});
}

TEST(IntervalBucketTest, Invariant1LargestTermsDoNotOverflow) {
  const IntervalBucket max = Bucket({kMax, kLongestSpan}, kMax);
  IntervalBucket::State state;
  EXPECT_TRUE(Check(max, state, {kMax}, kLatestTime).allowed);
  EXPECT_EQ(Check(max, state, {kMax}, kLatestTime).retry_after, kLongestSpan);
  const IntervalBucket slow = Bucket({1, kLongestSpan / 2}, 1, kLongestSpan / 2);
  IntervalBucket::State late;
  Check(slow, late, {1}, kLatestTime);
  EXPECT_EQ(Check(slow, late, {1}, kLatestTime).reset_after, kLongestSpan);
}

TEST(IntervalBucketTest, Invariant2UsedStaysWithinBurstPlusRefillsInMaxWait) {
  const IntervalBucket limit = Bucket({3, 10s}, 5, 20s);
  IntervalBucket::State state;
  for (int i = 0; i < 30; ++i) Check(limit, state, {1}, Time{1s});
  EXPECT_EQ(state.used, 5 + 2 * 3);
  EXPECT_EQ(state.full_at, Time{41s});
}

TEST(IntervalBucketTest, Invariant3UsedZeroIsStateOfUnusedKey) {
  const IntervalBucket limit = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  EXPECT_EQ(UnusedAt(limit, state), Time{});
  const Decision decision = Check(limit, state, {3}, Time{1s});
  EXPECT_EQ(decision.reset_after, 20s);
  EXPECT_EQ(UnusedAt(limit, state), Time{21s});
  IntervalBucket::State fresh;
  EXPECT_EQ(Check(limit, state, {1}, Time{21s}), Check(limit, fresh, {1}, Time{21s}));
  Refund(limit, state, {1}, Time{22s});
  EXPECT_EQ(state, IntervalBucket::State{});
}

TEST(IntervalBucketTest, Invariant4RefusalPeekAndZeroCostKeepTheState) {
  const IntervalBucket limit = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  Check(limit, state, {3}, Time{1s});
  const IntervalBucket::State before = state;
  EXPECT_FALSE(Check(limit, state, {2}, Time{2s}).allowed);
  EXPECT_FALSE(Check(limit, state, {5}, Time{2s}).allowed);
  EXPECT_TRUE(Peek(limit, state, {1}, Time{2s}).allowed);
  EXPECT_TRUE(Check(limit, state, {0}, Time{12s}).allowed);
  EXPECT_EQ(state, before);
}

TEST(IntervalBucketTest, PassesExactlyAtRetryAfter) {
  for (const Nanos max_wait : {0ns, 3ns, 25ns}) {
    for (const IntervalBucket& limit :
         {Bucket({3, 10ns}, 7, max_wait), Aligned({3, 10ns}, 7, max_wait)}) {
      IntervalBucket::State state;
      while (Check(limit, state, {2}, Time{4ns}).allowed) {
      }
      for (const std::int64_t cost : {2, 5, 7}) ExpectRetryIsExact(limit, state, cost, 4ns);
      ExpectRemainingIsExact(limit, state, 26ns);
    }
  }
}

TEST(IntervalBucketTest, GrantsNothingWhenStateIsAheadOfTime) {
  const IntervalBucket limit = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  ExpectSteps(limit, state, {{100s, 4}, {50s, 1, Says::kNo, 0, 60s, 70s}, {110s, 2}});
}

TEST(IntervalBucketTest, RefundReturnsAtMostUsedTokens) {
  const IntervalBucket limit = Bucket({2, 10s}, 6);
  IntervalBucket::State state;
  Refund(limit, state, {3}, Time{0s});
  EXPECT_EQ(state, IntervalBucket::State{});
  Check(limit, state, {5}, Time{0s});
  Refund(limit, state, {1}, Time{10s});  // 3 are still missing
  EXPECT_EQ(Peek(limit, state, {0}, Time{10s}).remaining, 4);
  EXPECT_EQ(Peek(limit, state, {0}, Time{10s}).reset_after, 10s);
  Refund(limit, state, {kMax}, Time{10s});
  EXPECT_EQ(Peek(limit, state, {0}, Time{10s}).remaining, 6);
}

TEST(IntervalBucketTest, ConvertCarriesUsedTokensAndKeepsPhaseOfSamePeriod) {
  const IntervalBucket from = Aligned({1, 250ms}, 1, 250ms);
  IntervalBucket::State state;
  Check(from, state, {1}, Time{300ms});
  Check(from, state, {1}, Time{300ms});
  const IntervalBucket to = Aligned({2, 250ms}, 2, 250ms);
  Convert(from, to, state, Time{300ms});
  EXPECT_EQ(Check(to, state, {1}, Time{300ms}).wait, 200ms);
}

TEST(IntervalBucketTest, ConvertToAlignedMovesRefillsToMultiplesOfPeriod) {
  const IntervalBucket from = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  Check(from, state, {4}, Time{3s});
  Convert(from, Aligned({2, 10s}, 4), state, Time{4s});
  EXPECT_EQ(state, (IntervalBucket::State{Time{20s}, 4}));
}

TEST(IntervalBucketTest, ConvertToOtherPeriodRefillsOnePeriodFromNow) {
  const IntervalBucket from = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  Check(from, state, {4}, Time{0s});
  IntervalBucket::State aligned = state;
  Convert(from, Bucket({2, 7s}, 4), state, Time{12s});
  EXPECT_EQ(state, (IntervalBucket::State{Time{19s}, 2}));
  Convert(from, Aligned({2, 7s}, 1), aligned, Time{12s});
  EXPECT_EQ(aligned, (IntervalBucket::State{Time{14s}, 1}));
}

TEST(IntervalBucketTest, Invariant2DebtGoesBelowZeroByTheWholeCost) {
  IntervalBucket::State state;
  ExpectSteps(Bucket({5, 10s}, 8), state,
              {{1s, 3, Says::kYes, 5},
               Debt(2s, 20),
               {2s, 0, Says::kYes, 0, 0s, 49s, 0s},
               {2s, 1, Says::kNo, 0, 39s, 49s},
               {2s, 8, Says::kNo, 0, 49s, 49s},
               {2s, 9, Says::kNo, 0, kNever, 49s},
               {41s, 1, Says::kYes, 4, 0s, 10s}});
  const IntervalBucket limit = Aligned({3, 10s}, 3, 15s);
  IntervalBucket::State aligned;
  TakeDebt(limit, aligned, {1'000'001}, Time{12s});
  for (const std::int64_t cost : {1, 3}) ExpectRetryIsExact(limit, aligned, cost, 12s);
  EXPECT_EQ(UnusedAt(limit, aligned), Time{10s + 333'334 * 10s});
}

TEST(IntervalBucketTest, DebtReachesOneYearAheadUnlessChecksReachFurther) {
  const IntervalBucket limit = Bucket({5, 24h}, 8);
  IntervalBucket::State state;
  EXPECT_EQ(TakeDebt(limit, state, {kMax}, Time{5s}).reset_after, kDebtSpan);
  EXPECT_EQ(TakeDebt(limit, state, {kMax}, Time{5s}).reset_after, kDebtSpan);
  // The refills keep their phase, so the last one within a year is less than a year away.
  EXPECT_EQ(TakeDebt(limit, state, {kMax}, Time{6s}).reset_after, kDebtSpan - 1s);
  const IntervalBucket slow = Bucket({1, 24h * 365}, 2, 24h * 400);
  IntervalBucket::State late;
  EXPECT_EQ(TakeDebt(slow, late, {kMax}, kLatestTime).reset_after, 3 * kDebtSpan);
  const IntervalBucket fast = Bucket({kMax / 4, 1ns}, 1);
  IntervalBucket::State many;
  for (int i = 0; i < 3; ++i) TakeDebt(fast, many, {kMax}, Time{1s});
  EXPECT_EQ(many.used, kMax);
  EXPECT_EQ(Peek(fast, many, {1}, Time{1s}).retry_after, 5ns);
  EXPECT_EQ(Peek(fast, many, {1}, Time{1s}).reset_after, 5ns);
}

TEST(IntervalBucketTest, RefundAndConvertHandleDebt) {
  const IntervalBucket from = Bucket({5, 10s}, 8);
  IntervalBucket::State state;
  TakeDebt(from, state, {15}, Time{0s});
  Refund(from, state, {4}, Time{0s});
  EXPECT_EQ(Peek(from, state, {1}, Time{0s}).retry_after, 10s);
  EXPECT_EQ(UsedAt(from, state, Time{0s}).within, 8);
  EXPECT_EQ(UsedAt(from, state, Time{0s}).beyond, 3);
  // Eight of eight used tokens become two of two, and three are owed.
  const IntervalBucket to = Bucket({1, 10s}, 2);
  Convert(from, to, state, Time{0s});
  EXPECT_EQ(Peek(to, state, {0}, Time{0s}).reset_after, 50s);
  Refund(to, state, {kMax}, Time{0s});
  EXPECT_EQ(state, IntervalBucket::State{});
}

// Such a state has more periods to go than refills; none of them may take anything more.
TEST(IntervalBucketTest, CountsUsedTokensOfStateAheadOfTimeOnce) {
  const IntervalBucket limit = Bucket({2, 10s}, 4);
  IntervalBucket::State state;
  ExpectSteps(limit, state,
              {{100s, 1, Says::kYes, 3}, {50s, 0, Says::kYes, 3}, {50s, 3, Says::kYes, 0}});
}

}  // namespace
}  // namespace sluice
