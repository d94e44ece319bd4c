#include "core/algorithm/leaky_bucket.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/algorithm/debt.h"
#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Says;
using testing::Step;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

LeakyBucket Queue(Rate rate, std::int64_t burst, std::int64_t delay_after = 0,
                  Nanos max_wait = kLongestSpan) {
  return {MakeInterval(rate), burst, delay_after, max_wait};
}

TEST(LeakyBucketTest, MatchesNginxQueue) {
  FineTime next;
  ExpectSteps(Queue({1, 1s}, 5), next,
              {{0s, 1, Says::kYes, 5, 0s, 1s, 0s},
               {0s, 1, Says::kYes, 4, 0s, 2s, 1s},
               {0s, 1, Says::kYes, 3, 0s, 3s, 2s},
               {0s, 1, Says::kYes, 2, 0s, 4s, 3s},
               {0s, 1, Says::kYes, 1, 0s, 5s, 4s},
               {0s, 1, Says::kYes, 0, 0s, 6s, 5s},
               {0s, 1, Says::kNo, 0, 1s, 6s, 0s},
               {0s, 1, Says::kNo, 0, 1s, 6s, 0s}});
}

TEST(LeakyBucketTest, MatchesNginxDelay) {
  std::vector<Step> steps(9, Step{.at = 0s, .wait = 0s});
  for (const Nanos wait : {200ms, 400ms, 600ms, 800ms}) steps.push_back({.at = 0s, .wait = wait});
  steps.insert(steps.end(), 2, Step{0s, 1, Says::kNo, 0, 200ms});
  FineTime next;
  ExpectSteps(Queue({5, 1s}, 12, 8), next, steps);
}

TEST(LeakyBucketTest, NothingWaitsWithoutBurst) {
  FineTime next;
  ExpectSteps(Queue({10, 1s}, 0), next,
              {{0ms, 1, Says::kYes, 0, 0s, 100ms, 0s},
               {50ms, 1, Says::kNo, 0, 50ms, 50ms},
               {99ms, 1, Says::kNo, 0, 1ms},
               {100ms},
               {199ms, 1, Says::kNo},
               {200ms}});
  // This is exact, unlike nginx, which is 4 % slow here.
  FineTime minute;
  ExpectSteps(Queue({1, 1min}, 0), minute,
              {{0s}, {60s - 1ns, 1, Says::kNo, 0, 1ns}, {60s}, {120s}});
}

TEST(LeakyBucketTest, Invariant1LargestTermsDoNotOverflow) {
  const LeakyBucket max = Queue({kMax, kLongestSpan}, kMax - 1, kMax);
  FineTime next;
  EXPECT_EQ(Check(max, next, {kMax}, kLatestTime).limit, kMax);
  EXPECT_FALSE(Check(max, next, {kMax}, kLatestTime).allowed);
  const LeakyBucket slow = Queue({1, kLongestSpan / 2}, 1);
  FineTime late;
  Check(slow, late, {1}, kLatestTime);
  EXPECT_EQ(Check(slow, late, {1}, kLatestTime).reset_after, kLongestSpan);
}

TEST(LeakyBucketTest, Invariant2LimitIsBurstPlusOneAndRemainingCountsQueueRoom) {
  const LeakyBucket limit = Queue({3, 1s}, 4);
  FineTime next;
  ExpectSteps(limit, next,
              {{0s, 6, Says::kNo, 5, kNever, 0s},
               {0s, 5, Says::kYes, 0, 0s, 1'666'666'667ns, 0s},
               {500ms, 0, Says::kYes, 1},
               {500ms, 2, Says::kNo, 1, 166'666'667ns}});
  EXPECT_EQ(Peek(limit, next, {1}, Time{500ms}).limit, 5);
  EXPECT_TRUE(Peek(limit, next, {1}, Time{500ms}).allowed);
}

TEST(LeakyBucketTest, RemainingIsZeroIfMaxWaitRefusesEveryCost) {
  FineTime next;
  ExpectSteps(Queue({1, 1s}, 5, 1, 2s), next,
              {{0s, 3, Says::kYes, 3, 0s, 3s, 0s},
               {0s, 1, Says::kYes, 0, 0s, 4s, 2s},
               {0s, 1, Says::kNo, 0, 1s, 4s},
               {0s, 4, Says::kNo, 0, 2s, 4s},
               {1s, 1, Says::kYes, 0, 0s, 4s, 2s}});
}

TEST(LeakyBucketTest, Invariant3NextIsAtMostBurstPlusOneTurnsAhead) {
  const LeakyBucket limit = Queue({3, 1s}, 5);
  FineTime next;
  for (int i = 0; i < 30; ++i) Check(limit, next, {1 + i % 3}, Time{7s});
  EXPECT_EQ(next, (FineTime{Time{9s}, 0}));
}

TEST(LeakyBucketTest, Invariant4KeyIsUnusedFromResetAfterOn) {
  const LeakyBucket limit = Queue({3, 1s}, 2);
  FineTime next;
  const Nanos reset_after = Check(limit, next, {2}, Time{1s}).reset_after;
  EXPECT_EQ(UnusedAt(limit, next), Time{1s} + reset_after);
  FineTime fresh;
  EXPECT_EQ(Check(limit, next, {3}, Time{1s} + reset_after),
            Check(limit, fresh, {3}, Time{1s} + reset_after));
}

TEST(LeakyBucketTest, Invariant5RefusalPeekAndZeroCostKeepTheState) {
  const LeakyBucket limit = Queue({3, 1s}, 2);
  FineTime next;
  Check(limit, next, {2}, Time{1s});
  const FineTime before = next;
  EXPECT_FALSE(Check(limit, next, {2}, Time{1s}).allowed);
  EXPECT_FALSE(Check(limit, next, {4}, Time{1s}).allowed);
  EXPECT_TRUE(Peek(limit, next, {1}, Time{1s}).allowed);
  EXPECT_TRUE(Check(limit, next, {0}, Time{9s}).allowed);
  EXPECT_EQ(next, before);
}

TEST(LeakyBucketTest, PassesExactlyAtRetryAfter) {
  for (const Rate rate : {Rate{3, 1s}, Rate{7, 10ns}, Rate{1'000'003, 1s}}) {
    for (const Nanos max_wait : {Nanos{0}, Nanos{1}, kLongestSpan}) {
      const LeakyBucket limit = Queue(rate, 4, 1, max_wait);
      FineTime next;
      Check(limit, next, {5}, Time{1ns});
      for (const std::int64_t cost : {1, 4, 5}) ExpectRetryIsExact(limit, next, cost, 1ns);
    }
  }
}

TEST(LeakyBucketTest, RefundReturnsAtMostHeldUnits) {
  const LeakyBucket limit = Queue({1, 1s}, 5);
  FineTime next;
  Check(limit, next, {4}, Time{0s});
  Refund(limit, next, {1}, Time{1s});
  EXPECT_EQ(Peek(limit, next, {0}, Time{1s}).reset_after, 2s);
  Refund(limit, next, {kMax}, Time{1s});
  EXPECT_EQ(Peek(limit, next, {0}, Time{1s}).remaining, 6);
  EXPECT_EQ(Check(limit, next, {1}, Time{1s}).remaining, 5);
}

TEST(LeakyBucketTest, ConvertCarriesQueuedUnits) {
  const LeakyBucket from = Queue({1, 1s}, 5);
  const LeakyBucket to = Queue({2, 1s}, 5);
  const LeakyBucket small = Queue({2, 1s}, 1);
  FineTime next;
  Check(from, next, {4}, Time{0s});
  Convert(from, to, next, Time{0s});
  EXPECT_EQ(Peek(to, next, {0}, Time{0s}).reset_after, 2s);
  Convert(to, small, next, Time{0s});
  EXPECT_EQ(Peek(small, next, {0}, Time{0s}).reset_after, 1s);
}

TEST(LeakyBucketTest, Invariant3DebtGoesBeyondTheQueueByTheWholeCost) {
  FineTime next;
  ExpectSteps(Queue({1, 1s}, 2), next,
              {{0s, 1, Says::kYes, 2},
               Debt(0s, 9),
               {0s, 0, Says::kYes, 0, 0s, 10s, 0s},
               {0s, 1, Says::kNo, 0, 8s, 10s},
               {0s, 3, Says::kNo, 0, 10s, 10s},
               {0s, 4, Says::kNo, 0, kNever, 10s},
               {8s, 1, Says::kYes, 0, 0s, 3s, 2s}});
  FineTime queue;
  const LeakyBucket limit = Queue({7, 10ns}, 5, 2, 3ns);
  TakeDebt(limit, queue, {1'000'003}, Time{5ns});
  for (const std::int64_t cost : {1, 6}) ExpectRetryIsExact(limit, queue, cost, 5ns);
}

TEST(LeakyBucketTest, DebtReachesOneYearAheadUnlessQueueIsLonger) {
  FineTime next;
  EXPECT_EQ(TakeDebt(Queue({1, 1s}, 2), next, {kMax}, Time{5s}).reset_after, kDebtSpan);
  FineTime late;
  const LeakyBucket slow = Queue({1, 24h * 365}, 2);
  EXPECT_EQ(TakeDebt(slow, late, {kMax}, kLatestTime).reset_after, 3 * kDebtSpan);
  EXPECT_EQ(TakeDebt(slow, late, {1}, kLatestTime).reset_after, 3 * kDebtSpan);
}

TEST(LeakyBucketTest, RefundAndConvertHandleDebt) {
  const LeakyBucket from = Queue({1, 1s}, 2);
  FineTime next;
  TakeDebt(from, next, {9}, Time{0s});
  Refund(from, next, {2}, Time{0s});
  EXPECT_EQ(Peek(from, next, {1}, Time{0s}).retry_after, 5s);
  // The seven units are three that may queue and four that are owed. Under the new terms one may
  // queue, and four are still owed.
  const LeakyBucket to = Queue({1, 1min}, 0);
  Convert(from, to, next, Time{0s});
  EXPECT_EQ(Peek(to, next, {0}, Time{0s}).reset_after, 5min);
  Refund(to, next, {kMax}, Time{0s});
  EXPECT_EQ(Peek(to, next, {0}, Time{0s}).remaining, 1);
}

}  // namespace
}  // namespace sluice
