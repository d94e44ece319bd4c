#include "core/algorithm/sliding_buckets.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRemainingIsExact;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Says;

// A new state for the given number of buckets.
struct Parts {
  explicit Parts(std::int32_t buckets) : counters(static_cast<std::size_t>(buckets) + 1) {
    state.parts = counters;
  }

  std::vector<std::int64_t> counters;
  PartsState state;
};

TEST(SlidingBucketsTest, CountsWholeOldestPartIfStrict) {
  Parts parts(3);
  ExpectSteps(SlidingBuckets{{100, 1h}, 3, OldestPart::kStrict}, parts.state,
              {{0min, 10, Says::kYes, 90, 0s, 80min},
               {20min, 20, Says::kYes, 70, 0s, 80min},
               {40min, 30, Says::kYes, 40, 0s, 80min},
               {50min, 40, Says::kYes, 0, 0s, 70min},
               {60min, 1, Says::kNo, 0, 20min, 60min},
               {80min, 11, Says::kNo, 10, 20min, 40min},
               {80min, 10, Says::kYes, 0, 0s, 80min}});
}

TEST(SlidingBucketsTest, IgnoresOldestPartIfLenient) {
  Parts parts(3);
  ExpectSteps(SlidingBuckets{{100, 1h}, 3, OldestPart::kLenient}, parts.state,
              {{0min, 10, Says::kYes, 90, 0s, 60min},
               {20min, 20, Says::kYes, 70, 0s, 60min},
               {40min, 30, Says::kYes, 40, 0s, 60min},
               {50min, 40, Says::kYes, 0, 0s, 50min},
               {60min, 1, Says::kYes, 9, 0s, 60min},
               {60min, 10, Says::kNo, 9, 20min, 60min}});
}

TEST(SlidingBucketsTest, CountsOldestPartByShareInViewIfWeighted) {
  Parts parts(2);
  ExpectSteps(SlidingBuckets{{10, 20s}, 2, OldestPart::kWeighted}, parts.state,
              {{0s, 6, Says::kYes, 4, 0s, 30s},
               {10s, 4, Says::kYes, 0, 0s, 30s},
               {20s, 1, Says::kNo, 0, 1'666'666'667ns, 20s},
               {20s, 6, Says::kNo, 0, 10s, 20s},
               {20s, 7, Says::kNo, 0, 12500ms, 20s},
               {20s, 10, Says::kNo, 0, 20s, 20s},
               {25s, 0, Says::kYes, 3, 0s, 15s},
               {25s, 3, Says::kYes, 0, 0s, 25s}});
}

TEST(SlidingBucketsTest, PassesExactlyAtRetryAfter) {
  for (const OldestPart oldest :
       {OldestPart::kStrict, OldestPart::kLenient, OldestPart::kWeighted}) {
    const SlidingBuckets limit{{9, 21ns}, 3, oldest};
    Parts parts(3);
    for (const Nanos at : {3ns, 8ns, 15ns}) Check(limit, parts.state, {3}, Time{at});
    for (const std::int64_t cost : {1, 2, 4, 7, 9}) {
      ExpectRetryIsExact(limit, parts.state, cost, 17ns);
    }
    for (Nanos at = 17ns; at < 50ns; ++at) ExpectRemainingIsExact(limit, parts.state, at);
  }
}

TEST(SlidingBucketsTest, Invariant1LargestTermsDoNotOverflow) {
  constexpr std::int64_t kMaxCount = std::int64_t{1} << 62U;
  const SlidingBuckets limit{{kMaxCount, kLongestSpan / 2}, 1, OldestPart::kWeighted};
  Parts parts(1);
  const Time first = kLatestTime - kLongestSpan / 2;
  EXPECT_TRUE(Check(limit, parts.state, {kMaxCount}, first).allowed);
  const Nanos retry_after = Check(limit, parts.state, {kMaxCount / 2}, first).retry_after;
  EXPECT_TRUE(Check(limit, parts.state, {kMaxCount / 2}, first + retry_after).allowed);
  EXPECT_EQ(parts.state.units, kMaxCount + kMaxCount / 2);
}

TEST(SlidingBucketsTest, Invariant2StrictNeverExceedsRateInAnyPeriod) {
  const SlidingBuckets limit{{7, 20ns}, 4, OldestPart::kStrict};
  Parts parts(4);
  std::deque<Time> admitted;
  for (std::int64_t turn = 0; turn < 4000; ++turn) {
    const Time now{Nanos{turn * turn % 7 + turn}};
    if (!admitted.empty() && now < admitted.back()) continue;
    if (Check(limit, parts.state, {1}, now).allowed) admitted.push_back(now);
    while (!admitted.empty() && admitted.front() + 20ns <= now) admitted.pop_front();
    ASSERT_LE(admitted.size(), 7U);
  }
}

TEST(SlidingBucketsTest, Invariant3RefusalPeekAndZeroCostKeepTheState) {
  const SlidingBuckets limit{{5, 30s}, 3, OldestPart::kStrict};
  Parts parts(3);
  ExpectSteps(limit, parts.state, {{0s, 2}, {10s, 2}});
  const std::vector<std::int64_t> before = parts.counters;
  EXPECT_FALSE(Check(limit, parts.state, {2}, Time{15s}).allowed);
  EXPECT_EQ(Check(limit, parts.state, {6}, Time{15s}).retry_after, kNever);
  EXPECT_TRUE(Peek(limit, parts.state, {1}, Time{15s}).allowed);
  EXPECT_TRUE(Peek(limit, parts.state, {5}, Time{90s}).allowed);
  EXPECT_TRUE(Check(limit, parts.state, {0}, Time{90s}).allowed);
  EXPECT_EQ(parts.counters, before);
  EXPECT_EQ(parts.state.units, 4);
  EXPECT_EQ(parts.state.newest, 1);
}

TEST(SlidingBucketsTest, ReadsPartsOutOfViewAsZero) {
  const SlidingBuckets limit{{5, 30s}, 3, OldestPart::kStrict};
  Parts parts(3);
  ExpectSteps(limit, parts.state,
              {{0s, 2},
               {10s, 1},
               {30s, 0, Says::kYes, 2},
               {40s, 0, Says::kYes, 4},
               {50s, 0, Says::kYes, 5, 0s, 0s},
               {1h, 5, Says::kYes, 0, 0s, 40s}});
  EXPECT_EQ(parts.state.units, 5);
}

TEST(SlidingBucketsTest, GrantsNothingWhenStateIsAheadOfTime) {
  Parts parts(3);
  ExpectSteps(SlidingBuckets{{5, 30s}, 3, OldestPart::kWeighted}, parts.state,
              {{100s, 4}, {20s, 1, Says::kYes, 0}, {20s, 1, Says::kNo, 0}});
  EXPECT_EQ(parts.state.newest, 10);
}

TEST(SlidingBucketsTest, RefundTakesFromNewestPartAndUpdatesReset) {
  const SlidingBuckets limit{{9, 30s}, 3, OldestPart::kStrict};
  Parts parts(3);
  ExpectSteps(limit, parts.state, {{0s, 3}, {10s, 2}, {20s, 2}});
  Refund(limit, parts.state, {3}, Time{25s});
  EXPECT_EQ(UnusedAt(limit, parts.state), Time{50s});
  Refund(limit, parts.state, {1}, Time{25s});
  EXPECT_EQ(UnusedAt(limit, parts.state), Time{40s});
  Refund(limit, parts.state, {100}, Time{25s});
  EXPECT_EQ(parts.state.units, 0);
  EXPECT_EQ(Peek(limit, parts.state, {0}, Time{25s}).reset_after, 0s);
}

TEST(SlidingBucketsTest, RoundsUnitsInViewUp) {
  Parts parts(2);
  const Rate rate{10, 20s};
  ExpectSteps(SlidingBuckets{rate, 2, OldestPart::kWeighted}, parts.state, {{0s, 5}, {10s, 1}});
  const Time now{25s};
  EXPECT_EQ(UnitsInView({rate, 2, OldestPart::kWeighted}, parts.state, now), 4);  // 2.5 + 1
  EXPECT_EQ(UnitsInView({rate, 2, OldestPart::kStrict}, parts.state, now), 6);
  EXPECT_EQ(UnitsInView({rate, 2, OldestPart::kLenient}, parts.state, now), 1);
}

TEST(SlidingBucketsTest, Invariant4DebtKeepsNewestUnitsInView) {
  for (const OldestPart oldest :
       {OldestPart::kStrict, OldestPart::kLenient, OldestPart::kWeighted}) {
    const SlidingBuckets limit{{10, 3s}, 3, oldest};
    Parts parts(3);
    ExpectSteps(limit, parts.state,
                {{0s, 6, Says::kYes, 4},
                 {1s, 3, Says::kYes, 1},
                 Debt(2s, 5),
                 {2s, 0, Says::kYes, 0},
                 {2s, 11, Says::kNo, 0, kNever}});
    EXPECT_EQ(parts.counters, (std::vector<std::int64_t>{2, 3, 5, 0}));
    for (const std::int64_t cost : {1, 5, 10}) ExpectRetryIsExact(limit, parts.state, cost, 2s);
    TakeDebt(limit, parts.state, {std::int64_t{1} << 62U}, Time{2500ms});
    EXPECT_EQ(parts.counters, (std::vector<std::int64_t>{0, 0, 10, 0}));
    Refund(limit, parts.state, {4}, Time{2500ms});
    EXPECT_EQ(parts.state.units, 6);
  }
}

// A debt drops units only from the parts in full view, not from the one before them.
TEST(SlidingBucketsTest, DebtKeepsTheOldestPart) {
  const SlidingBuckets limit{{10, 3s}, 3, OldestPart::kWeighted};
  Parts parts(3);
  ExpectSteps(
      limit, parts.state,
      {{0s, 8}, {1s, 2}, Debt(3500ms, 9), {3500ms, 0, Says::kYes, 0}, {3750ms, 1, Says::kNo, 0}});
  EXPECT_EQ(parts.counters, (std::vector<std::int64_t>{8, 1, 0, 9}));
  ExpectRetryIsExact(limit, parts.state, 1, 3750ms);
}

TEST(SlidingBucketsTest, DebtsInEveryPartDoNotOverflow) {
  constexpr std::int64_t kCount = std::int64_t{1} << 62U;
  const SlidingBuckets limit{{kCount, 3s}, 3, OldestPart::kStrict};
  Parts parts(3);
  for (int second = 0; second < 8; ++second) {
    TakeDebt(limit, parts.state, {kCount - second}, Time{second * 1s});
    EXPECT_GT(parts.state.units, 0);
    EXPECT_EQ(Peek(limit, parts.state, {1}, Time{second * 1s}).remaining, 0);
  }
}

// A state ahead of the time is read as of the start of its newest part. There the whole oldest part
// is in view, so it counts once and not more.
TEST(SlidingBucketsTest, CountsOldestPartOfStateAheadOfTimeOnce) {
  Parts parts(2);
  const SlidingBuckets limit{{10, 20s}, 2, OldestPart::kWeighted};
  ExpectSteps(limit, parts.state,
              {{0s, 6, Says::kYes, 4},
               {20s, 1, Says::kYes, 3},
               {15s, 0, Says::kYes, 3},
               {5s, 0, Says::kYes, 3},
               {15s, 3, Says::kYes, 0}});
  EXPECT_EQ(UnitsInView(limit, parts.state, Time{15s}), 10);
}

}  // namespace
}  // namespace sluice
