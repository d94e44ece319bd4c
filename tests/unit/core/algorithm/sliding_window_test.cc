#include "core/algorithm/sliding_window.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

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

TEST(SlidingWindowTest, WeighsPreviousWindowByShareInView) {
  SlidingWindow::State state;
  ExpectSteps(SlidingWindow{{10, 1s}}, state,
              {{0s, 10, Says::kYes, 0, 0s, 2s},
               {0s, 1, Says::kNo, 0, 1100ms, 2s},
               {1s, 1, Says::kNo, 0, 100ms, 1s},
               {1100ms, 1, Says::kYes, 0, 0s, 1900ms},
               {1100ms, 1, Says::kNo, 0, 100ms, 1900ms},
               {1500ms, 5, Says::kNo, 4, 100ms, 1500ms},
               {1500ms, 1, Says::kYes, 3, 0s, 1500ms},
               {3s, 10, Says::kYes, 0, 0s, 2s}});
}

TEST(SlidingWindowTest, MatchesCloudflareExample) {
  SlidingWindow::State state;
  ExpectSteps(SlidingWindow{{50, 1min}}, state,
              {{0s, 42, Says::kYes, 8, 0s, 120s},
               {75s, 18, Says::kYes, 0, 0s, 105s},
               {75s, 1, Says::kNo, 0, 714'285'715ns, 105s, 0s, Op::kPeek}});
}

TEST(SlidingWindowTest, MatchesPythonLimits) {
  const SlidingWindow limit{{100, 1min}};
  const SlidingWindow::State state{Time{120s}, 40, 80};
  EXPECT_FALSE(Peek(limit, state, {1}, Time{90s}).allowed);
  EXPECT_EQ(Peek(limit, state, {1}, Time{100s}).remaining, 6);  // 13.3 + 80
}

TEST(SlidingWindowTest, RetryAfterIsExactInThisAndNextWindow) {
  struct Case {
    SlidingWindow::State state;
    Nanos elapsed;
    std::int64_t cost;
    Nanos retry_after;
  };
  const Time end{2000ns};
  const Case cases[] = {{{end, 10, 0}, 0ns, 1, 100ns},   {{end, 10, 1}, 100ns, 1, 100ns},
                        {{end, 0, 10}, 300ns, 1, 800ns}, {{end, 0, 10}, 300ns, 10, 1700ns},
                        {{end, 7, 3}, 0ns, 7, 1000ns},   {{end, 7, 3}, 0ns, 8, 1334ns}};
  const SlidingWindow limit{{10, 1000ns}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.retry_after.count());
    const Nanos at = 1000ns + c.elapsed;
    EXPECT_EQ(Peek(limit, c.state, {c.cost}, Time{at}).retry_after, c.retry_after);
    ExpectRetryIsExact(limit, c.state, c.cost, at);
    ExpectRemainingIsExact(limit, c.state, at);
  }
}

TEST(SlidingWindowTest, Invariant1CountersStayWithinRateAndLargestTermsDoNotOverflow) {
  const SlidingWindow limit{{kMax, kLongestSpan / 2}};
  SlidingWindow::State state;
  EXPECT_TRUE(Check(limit, state, {kMax}, kLatestTime).allowed);
  EXPECT_FALSE(Check(limit, state, {kMax}, kLatestTime).allowed);
  EXPECT_EQ(state.current, kMax);
  EXPECT_EQ(state.previous, 0);
  const Nanos retry_after = Peek(limit, state, {kMax}, kLatestTime).retry_after;
  EXPECT_EQ(retry_after, UnusedAt(limit, state) - kLatestTime);
}

TEST(SlidingWindowTest, Invariant2NoUnitsIsStateOfUnusedKey) {
  const SlidingWindow limit{{10, 1s}};
  SlidingWindow::State state;
  EXPECT_EQ(UnusedAt(limit, state), Time{});
  Check(limit, state, {4}, Time{500ms});
  EXPECT_EQ(UnusedAt(limit, state), Time{2s});
  EXPECT_FALSE(Peek(limit, state, {10}, Time{2s - 1ns}).allowed);
  SlidingWindow::State fresh;
  EXPECT_EQ(Check(limit, state, {10}, Time{2s}), Check(limit, fresh, {10}, Time{2s}));
  Refund(limit, state, {10}, Time{2500ms});
  EXPECT_EQ(state, SlidingWindow::State{});
}

TEST(SlidingWindowTest, Invariant3RefusalPeekAndZeroCostKeepTheState) {
  const SlidingWindow limit{{10, 1s}};
  SlidingWindow::State state;
  Check(limit, state, {8}, Time{500ms});
  const SlidingWindow::State before = state;
  EXPECT_FALSE(Check(limit, state, {3}, Time{1s}).allowed);
  EXPECT_EQ(Check(limit, state, {11}, Time{1s}).retry_after, kNever);
  EXPECT_TRUE(Peek(limit, state, {2}, Time{1s}).allowed);
  EXPECT_TRUE(Check(limit, state, {0}, Time{5s}).allowed);
  EXPECT_EQ(state, before);
}

TEST(SlidingWindowTest, GrantsNothingWhenStateIsAheadOfTime) {
  SlidingWindow::State state;
  ExpectSteps(SlidingWindow{{10, 1s}}, state,
              {{5s, 10}, {6s, 0, Says::kYes, 0}, {2s, 1, Says::kNo, 0}, {6100ms, 1}});
}

TEST(SlidingWindowTest, RefundTakesFromCurrentThenPreviousCounter) {
  const SlidingWindow limit{{10, 1s}};
  SlidingWindow::State state{Time{2s}, 6, 3};
  Refund(limit, state, {4}, Time{1s});
  EXPECT_EQ(state, (SlidingWindow::State{Time{2s}, 5, 0}));
  Refund(limit, state, {1}, Time{2s});
  EXPECT_EQ(state, SlidingWindow::State{});
  Refund(limit, state, {1}, Time{2s});
  EXPECT_EQ(state, SlidingWindow::State{});
}

TEST(SlidingWindowTest, ConvertKeepsCountersUpToNewRateIfPeriodStays) {
  SlidingWindow::State state{Time{2s}, 6, 3};
  Convert(SlidingWindow{{10, 1s}}, SlidingWindow{{5, 1s}}, state, Time{1500ms});
  EXPECT_EQ(state, (SlidingWindow::State{Time{2s}, 5, 3}));
}

TEST(SlidingWindowTest, ConvertToOtherPeriodMovesWeightedSumRoundedUp) {
  const SlidingWindow from{{10, 1s}};
  SlidingWindow::State state{Time{2s}, 5, 3};
  SlidingWindow::State past = state;
  Convert(from, SlidingWindow{{10, 4s}}, state, Time{1500ms});  // 2.5 + 3
  EXPECT_EQ(state, (SlidingWindow::State{Time{4s}, 0, 6}));
  Convert(from, SlidingWindow{{10, 4s}}, past, Time{3s});
  EXPECT_EQ(past, SlidingWindow::State{});
}

TEST(SlidingWindowTest, Invariant4DebtFillsCurrentCounterRegardlessOfPrevious) {
  const SlidingWindow limit{{10, 1s}};
  SlidingWindow::State state;
  ExpectSteps(limit, state,
              {{0s, 8, Says::kYes, 2},
               Debt(1500ms, 7),
               {1500ms, 0, Says::kYes, 0, 0s, 1500ms, 0s},
               {1500ms, 3, Says::kNo, 0, 500ms, 1500ms},
               {1500ms, 11, Says::kNo, 0, kNever, 1500ms},
               {1900ms, 2, Says::kYes, 0, 0s, 1100ms},
               Debt(1900ms, kMax),
               {1900ms, 1, Says::kNo, 0, 200ms, 1100ms},
               {2s, 10, Says::kNo, 0, 1s, 1s}});
  EXPECT_EQ(state, (SlidingWindow::State{Time{2s}, 8, 10}));
  for (const std::int64_t cost : {1, 5, 10}) ExpectRetryIsExact(limit, state, cost, 1950ms);
  Refund(limit, state, {6}, Time{1900ms});
  EXPECT_EQ(state, (SlidingWindow::State{Time{2s}, 8, 4}));
}

// A state ahead of the time is read as of the start of its window, where the whole previous window
// counts, but not more.
TEST(SlidingWindowTest, CountsPreviousWindowOfStateAheadOfTimeOnce) {
  SlidingWindow::State state;
  ExpectSteps(SlidingWindow{{10, 1s}}, state,
              {{5s, 4, Says::kYes, 6},
               {6s, 2, Says::kYes, 4},
               {2s, 0, Says::kYes, 4},
               {2s, 4, Says::kYes, 0}});
}

}  // namespace
}  // namespace sluice
