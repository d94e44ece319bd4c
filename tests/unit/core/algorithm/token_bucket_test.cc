#include "core/algorithm/token_bucket.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

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
using testing::Step;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TokenBucket Bucket(Rate rate, std::int64_t burst, Nanos max_wait = 0ns) {
  return {MakeInterval(rate), burst, max_wait};
}

TEST(TokenBucketTest, MatchesThrottledRedisCellAndDragonfly) {
  FineTime tat;
  ExpectSteps(Bucket({1, 1s}, 5), tat,
              {{0s, 6, Says::kNo, 5, kNever, 0s},
               {0s, 1, Says::kYes, 4, 0s, 1s},
               {0s, 1, Says::kYes, 3, 0s, 2s},
               {0s, 1, Says::kYes, 2, 0s, 3s},
               {0s, 1, Says::kYes, 1, 0s, 4s},
               {0s, 1, Says::kYes, 0, 0s, 5s},
               {0s, 1, Says::kNo, 0, 1s, 5s},
               {3s, 1, Says::kYes, 2, 0s, 3s},
               {3100ms, 1, Says::kYes, 1, 0s, 3900ms},
               {4s, 1, Says::kYes, 1, 0s, 4s},
               {8s, 1, Says::kYes, 4, 0s, 1s},
               {9500ms, 1, Says::kYes, 4, 0s, 1s},
               {9500ms, 0, Says::kYes, 4, 0s, 1s},
               {9500ms, 2, Says::kYes, 2, 0s, 3s},
               {9500ms, 5, Says::kNo, 2, 3s, 3s},
               {15s, 6, Says::kNo, 5, kNever, 0s}});
}

TEST(TokenBucketTest, MatchesGovernor) {
  FineTime two;
  ExpectSteps(Bucket({2, 1s}, 2), two,
              {{0ms}, {1ms}, {2ms, 1, Says::kNo}, {1002ms}, {1003ms}, {1004ms, 1, Says::kNo}});
  FineTime ninety;
  ExpectSteps(Bucket({1, 90ms}, 2), ninety,
              {{0s, 1, Says::kYes, 1},
               {0s, 1, Says::kYes, 0},
               {0s, 1, Says::kNo, 0},
               {120s, 1, Says::kYes, 1},
               {120s, 1, Says::kYes, 0},
               {120s, 1, Says::kNo, 0}});
  FineTime five;
  ExpectSteps(Bucket({5, 1s}, 5), five,
              {{0s, 15, Says::kNo, 5, kNever}, {0s, 6, Says::kNo, 5, kNever}, {0s, 5}});
}

TEST(TokenBucketTest, MatchesRedisRate) {
  FineTime tat;
  ExpectSteps(Bucket({10, 1s}, 10), tat,
              {{0s, 0, Says::kYes, 10, 0s, 0s},
               {0s, 1, Says::kYes, 9, 0s, 100ms},
               {0s, 2, Says::kYes, 7, 0s, 300ms},
               {0s, 7, Says::kYes, 0, 0s, 1s},
               {0s, 1000, Says::kNo, 0, kNever, 1s}});
}

TEST(TokenBucketTest, GrantsNoExtraUnitAfterLongIdle) {
  FineTime tat;
  std::vector<Step> steps(10, Step{0s});
  steps.insert(steps.end(), 10, Step{17900ms});
  steps.push_back({17900ms, 1, Says::kNo});
  ExpectSteps(Bucket({1, 1s}, 10), tat, steps);
}

TEST(TokenBucketTest, ReportsRealStateForCostAboveBurst) {
  FineTime tat;
  ExpectSteps(Bucket({1, 1s}, 5), tat, {{0s, 3}, {0s, 6, Says::kNo, 2, kNever, 3s}});
}

TEST(TokenBucketTest, MatchesGoTimeRate) {
  FineTime one;
  ExpectSteps(Bucket({10, 1s}, 1), one,
              {{0ms},
               {0ms, 1, Says::kNo},
               {100ms},
               {100ms, 1, Says::kNo},
               {200ms, 2, Says::kNo, 1, kNever},
               {200ms},
               {200ms, 1, Says::kNo}});
  FineTime three;
  ExpectSteps(Bucket({10, 1s}, 3), three,
              {{0ms, 2},
               {0ms, 2, Says::kNo, 1, 100ms},
               {0ms, 1, Says::kYes, 0},
               {0ms, 1, Says::kNo},
               {100ms, 4, Says::kNo, 1, kNever},
               {200ms, 1, Says::kYes, 1},
               {300ms, 1, Says::kYes, 1},
               {400ms, 1, Says::kYes, 1},
               {400ms, 1, Says::kYes, 0},
               {400ms, 1, Says::kNo},
               {900ms, 3, Says::kYes, 0},
               {900ms, 0, Says::kYes, 0}});
}

TEST(TokenBucketTest, MatchesBucket4jRefill) {
  struct Case {
    std::int64_t count;  // per 1000 ns
    std::int64_t tokens;
    Nanos later;
    std::int64_t remaining;
  };
  const Case cases[] = {{1000, 0, 40ns, 40}, {1000, 50, 1ns, 51}, {1000, 200, 10us, 1000},
                        {100, 0, 3ns, 0},    {100, 90, 17ns, 91}, {100, 0, 18888ns, 100}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.later.count());
    const TokenBucket limit = Bucket({c.count, 1000ns}, c.count);
    FineTime tat;
    Check(limit, tat, {c.count - c.tokens}, Time{10us});
    EXPECT_EQ(Peek(limit, tat, {0}, Time{10us} + c.later).remaining, c.remaining);
  }
}

TEST(TokenBucketTest, MatchesBucket4jWaits) {
  FineTime empty;
  ExpectSteps(Bucket({10, 100ns}, 10), empty, {{0ns, 10}, {0ns, 10, Says::kNo, 0, 100ns, 100ns}});
  FineTime slow;
  ExpectSteps(Bucket({2, 100ns}, 10), slow, {{0ns, 10}, {0ns, 10, Says::kNo, 0, 500ns}});
  FineTime four;
  ExpectSteps(Bucket({10, 100ns}, 10), four, {{0ns, 6}, {0ns, 7, Says::kNo, 4, 30ns, 60ns}});
  FineTime debt;
  ExpectSteps(Bucket({2, 100ns}, 10, 10us), debt,
              {{0ns, 10}, {0ns, 10}, {0ns, 10}, {0ns, 3, Says::kYes, 0, 0ns, 1650ns, 1150ns}});
}

TEST(TokenBucketTest, MatchesBucket4jProbes) {
  FineTime full;
  ExpectSteps(Bucket({100, 100ns}, 100), full, {{0ns, 49, Says::kYes, 51}});
  FineTime some;
  ExpectSteps(Bucket({100, 100ns}, 100), some,
              {{0ns, 30}, {0ns, 80, Says::kNo, 70, 10ns}, {0ns, 120, Says::kNo, 70, kNever}});
}

TEST(TokenBucketTest, CarriesFractionOfUnitAcrossChecks) {
  FineTime tat;
  ExpectSteps(Bucket({10, 100ns}, 10), tat,
              {{0ns, 10},
               {97ns, 9},
               {97ns, 1, Says::kNo, 0, 3ns},
               {100ns, 1},
               {100ns, 1, Says::kNo, 0, 10ns}});
  FineTime seconds;
  ExpectSteps(Bucket({1, 1s}, 4), seconds,
              {{0s, 4}, {200ms, 1, Says::kNo, 0, 800ms}, {200ms, 3, Says::kNo, 0, 2800ms}});
}

TEST(TokenBucketTest, MatchesGubernatorLeakyBucket) {
  for (const std::int64_t burst : {10, 20}) {
    SCOPED_TRACE(burst);
    FineTime tat;
    ExpectSteps(Bucket({10, 30s}, burst), tat,
                {{0s, 1, Says::kYes, burst - 1},
                 {1s, 1, Says::kYes, burst - 2},
                 {2s, 1, Says::kYes, burst - 3},
                 {3500ms, 0, Says::kYes, burst - 2},
                 {6500ms, 0, Says::kYes, burst - 1},
                 {6500ms, burst - 1, Says::kYes, 0},
                 {6500ms, 1, Says::kNo, 0},
                 {9500ms, 0, Says::kYes, 1},
                 {69500ms, 0, Says::kYes, burst}});
  }
}

TEST(TokenBucketTest, Invariant1LargestTermsDoNotOverflow) {
  const TokenBucket fast = Bucket({kMax, kLongestSpan}, kMax);
  FineTime tat;
  EXPECT_TRUE(Check(fast, tat, {kMax}, kLatestTime).allowed);
  EXPECT_EQ(Peek(fast, tat, {1}, kLatestTime).retry_after, 1ns);
  const TokenBucket slow = Bucket({1, kLongestSpan / 2}, 1, kLongestSpan / 2);
  FineTime late;
  EXPECT_TRUE(Check(slow, late, {1}, kLatestTime).allowed);
  EXPECT_EQ(Check(slow, late, {1}, kLatestTime).reset_after, kLongestSpan);
}

TEST(TokenBucketTest, Invariant2TatStaysWithinBurstAndMaxWait) {
  const TokenBucket limit = Bucket({10, 1s}, 3, 250ms);
  FineTime tat;
  for (int i = 0; i < 20; ++i) Check(limit, tat, {1 + i % 2}, Time{1s});
  EXPECT_EQ(tat, (FineTime{Time{1500ms}, 0}));
  EXPECT_EQ(Peek(limit, tat, {1}, Time{1s}).retry_after, 50ms);
}

TEST(TokenBucketTest, Invariant3RefusalPeekAndZeroCostKeepTheState) {
  const TokenBucket limit = Bucket({3, 1s}, 3);
  FineTime tat;
  Check(limit, tat, {2}, Time{1s});
  const FineTime before = tat;
  EXPECT_FALSE(Check(limit, tat, {2}, Time{1s}).allowed);
  EXPECT_FALSE(Check(limit, tat, {4}, Time{1s}).allowed);
  EXPECT_TRUE(Peek(limit, tat, {1}, Time{1s}).allowed);
  EXPECT_TRUE(Check(limit, tat, {0}, Time{2s}).allowed);
  EXPECT_EQ(tat, before);
}

TEST(TokenBucketTest, Invariant4PassesExactlyAtRetryAfter) {
  for (const Rate rate : {Rate{3, 1s}, Rate{7, 10ns}, Rate{1'000'003, 1s}, Rate{1, 1h}}) {
    SCOPED_TRACE(rate.count);
    const TokenBucket limit = Bucket(rate, 5, 1ns);
    FineTime tat;
    Check(limit, tat, {3}, Time{1ns});
    Check(limit, tat, {2}, Time{2ns});
    for (const std::int64_t cost : {2, 5}) ExpectRetryIsExact(limit, tat, cost, 2ns);
    ExpectRemainingIsExact(limit, tat, 3ns + rate.period);
  }
}

TEST(TokenBucketTest, Invariant5KeyIsUnusedFromResetAfterOn) {
  const TokenBucket limit = Bucket({3, 1s}, 3);
  FineTime tat;
  const Nanos reset_after = Check(limit, tat, {2}, Time{1s}).reset_after;
  EXPECT_EQ(reset_after, 666'666'667ns);
  EXPECT_EQ(UnusedAt(limit, tat), Time{1s} + reset_after);
  EXPECT_EQ(Check(limit, tat, {3}, Time{1s} + reset_after).remaining, 0);
}

TEST(TokenBucketTest, GrantsNothingExtraWhenClockStepsBack) {
  const TokenBucket limit = Bucket({1, 1s}, 2);
  FineTime tat;
  ExpectSteps(limit, tat,
              {{5s, 2}, {3s, 1, Says::kNo}, {0s, 1, Says::kNo}, {6s}, {6s, 1, Says::kNo}});
}

TEST(TokenBucketTest, RefundReturnsAtMostHeldUnits) {
  const TokenBucket limit = Bucket({1, 1s}, 5);
  FineTime tat;
  Check(limit, tat, {3}, Time{0s});
  Refund(limit, tat, {1}, Time{1s});
  EXPECT_EQ(Peek(limit, tat, {0}, Time{1s}).remaining, 4);
  Refund(limit, tat, {kMax}, Time{1s});
  EXPECT_EQ(Peek(limit, tat, {6}, Time{1s}).remaining, 5);
  EXPECT_EQ(Check(limit, tat, {5}, Time{1s}).remaining, 0);
}

TEST(TokenBucketTest, ConvertCarriesUsedUnits) {
  const TokenBucket from = Bucket({2, 1h}, 2);
  FineTime tat;
  Check(from, tat, {2}, Time{0s});
  const TokenBucket to = Bucket({4, 1h}, 4);
  Convert(from, to, tat, Time{0s});
  EXPECT_EQ(Peek(to, tat, {0}, Time{0s}).remaining, 2);
  const TokenBucket small = Bucket({1, 1h}, 1);
  Convert(to, small, tat, Time{0s});
  EXPECT_EQ(Peek(small, tat, {1}, Time{0s}).retry_after, 1h);
}

TEST(TokenBucketTest, Invariant2DebtGoesBelowZeroByTheWholeCost) {
  const TokenBucket limit = Bucket({1, 1s}, 5);
  FineTime tat;
  ExpectSteps(limit, tat,
              {{0s, 3, Says::kYes, 2},
               Debt(0s, 12),
               {0s, 0, Says::kYes, 0, 0s, 15s, 0s},
               {0s, 1, Says::kNo, 0, 11s, 15s},
               {0s, 5, Says::kNo, 0, 15s, 15s},
               {0s, 6, Says::kNo, 0, kNever, 15s},
               {10s, 1, Says::kNo, 0, 1s, 5s},
               {11s, 1, Says::kYes, 0, 0s, 5s}});
  FineTime fresh;
  const Decision decision = TakeDebt(limit, fresh, {2}, Time{1s});
  EXPECT_EQ(decision, (Decision{.limit = 5, .remaining = 3, .reset_after = 2s}));
}

TEST(TokenBucketTest, Invariant4HoldsInDebt) {
  for (const Rate rate : {Rate{3, 1s}, Rate{7, 10ns}, Rate{1'000'003, 1s}, Rate{1, 1h}}) {
    for (const Nanos max_wait : {Nanos{0}, Nanos{5}, Nanos{1s}}) {
      SCOPED_TRACE(rate.count);
      const TokenBucket limit = Bucket(rate, 5, max_wait);
      FineTime tat;
      Check(limit, tat, {3}, Time{1ns});
      TakeDebt(limit, tat, {4'000'000'001}, Time{2ns});
      TakeDebt(limit, tat, {7}, Time{2ns});
      for (const std::int64_t cost : {1, 5}) ExpectRetryIsExact(limit, tat, cost, 2ns);
      const Nanos reset_after = Peek(limit, tat, {0}, Time{2ns}).reset_after;
      EXPECT_EQ(UnusedAt(limit, tat), Time{2ns} + reset_after);
      EXPECT_EQ(Peek(limit, tat, {0}, Time{2ns} + reset_after).remaining, 5);
    }
  }
}

TEST(TokenBucketTest, DebtOfZeroChangesNothing) {
  const TokenBucket limit = Bucket({3, 1s}, 3);
  FineTime tat;
  Check(limit, tat, {2}, Time{1s});
  const FineTime before = tat;
  EXPECT_EQ(TakeDebt(limit, tat, {0}, Time{5s}), Peek(limit, tat, {0}, Time{5s}));
  EXPECT_EQ(tat, before);
}

TEST(TokenBucketTest, DebtReachesOneYearAheadUnlessChecksReachFurther) {
  const TokenBucket quick = Bucket({10, 1s}, 10, 1min);
  FineTime tat;
  EXPECT_EQ(TakeDebt(quick, tat, {kMax}, Time{7ns}).reset_after, kDebtSpan);
  EXPECT_EQ(TakeDebt(quick, tat, {kMax}, Time{7ns}).reset_after, kDebtSpan);
  EXPECT_EQ(TakeDebt(quick, tat, {kMax}, Time{1h}).reset_after, kDebtSpan);
  ExpectRetryIsExact(quick, tat, 10, 1h);
  const TokenBucket slow = Bucket({1, 24h * 365}, 3, 24h);
  FineTime late;
  EXPECT_EQ(TakeDebt(slow, late, {kMax}, kLatestTime).reset_after, 3 * kDebtSpan + 24h);
  const TokenBucket fine = Bucket({kMax, kLongestSpan}, kMax);
  FineTime finest;
  FineTime checked;
  EXPECT_EQ(TakeDebt(fine, finest, {kMax}, kLatestTime).reset_after,
            Check(fine, checked, {kMax}, kLatestTime).reset_after);
  TakeDebt(fine, finest, {kMax}, kLatestTime);
  EXPECT_EQ(finest, checked);
}

TEST(TokenBucketTest, RefundReturnsOwedUnits) {
  const TokenBucket limit = Bucket({1, 1s}, 5);
  FineTime tat;
  TakeDebt(limit, tat, {12}, Time{0s});
  Refund(limit, tat, {4}, Time{2s});
  EXPECT_EQ(Peek(limit, tat, {1}, Time{2s}).retry_after, 2s);
  Refund(limit, tat, {4}, Time{2s});
  EXPECT_EQ(Peek(limit, tat, {0}, Time{2s}).remaining, 3);
  Refund(limit, tat, {kMax}, Time{2s});
  EXPECT_EQ(Peek(limit, tat, {0}, Time{2s}), Peek(limit, FineTime{}, {0}, Time{2s}));
}

TEST(TokenBucketTest, ConvertCarriesDebtInFullAndCutsTheRest) {
  const TokenBucket from = Bucket({10, 1h}, 10);
  FineTime tat;
  TakeDebt(from, tat, {13}, Time{0s});
  FineTime larger = tat;
  Convert(from, Bucket({20, 1h}, 20), larger, Time{0s});
  EXPECT_EQ(Peek(Bucket({20, 1h}, 20), larger, {0}, Time{0s}).remaining, 7);
  // Ten of ten used units become four of four; three more are owed.
  const TokenBucket small = Bucket({4, 1h}, 4);
  Convert(from, small, tat, Time{0s});
  EXPECT_EQ(Peek(small, tat, {0}, Time{0s}).reset_after, 7 * 15min);
  EXPECT_EQ(Peek(small, tat, {1}, Time{0s}).retry_after, 4 * 15min);
}

TEST(TokenBucketTest, ConvertLimitsDebtToOneYearAhead) {
  const TokenBucket from = Bucket({1000, 1s}, 1000);
  FineTime tat;
  TakeDebt(from, tat, {1'000'000'000}, Time{0s});
  const TokenBucket to = Bucket({1, 1h}, 1);
  Convert(from, to, tat, Time{0s});
  EXPECT_EQ(Peek(to, tat, {0}, Time{0s}).reset_after, kDebtSpan);
}

// A clock that steps back neither returns units nor takes any.
TEST(TokenBucketTest, HoldsStateAheadOfTimeForLonger) {
  FineTime tat;
  ExpectSteps(Bucket({1, 1s}, 10), tat,
              {{100s, 3, Says::kYes, 7, 0s, 3s},
               {98s, 0, Says::kYes, 5, 0s, 5s},
               {98s, 5, Says::kYes, 0, 0s, 10s},
               {98s, 1, Says::kNo, 0, 1s, 10s}});
}

}  // namespace
}  // namespace sluice
