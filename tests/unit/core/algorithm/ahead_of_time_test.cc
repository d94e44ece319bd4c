// Tests states that are ahead of the current time, because a clock stepped back or the state comes
// from another machine. Units that were taken stay taken, nothing is taken twice, and no wait is
// longer than the state requires.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "core/algorithm/concurrency.h"
#include "core/algorithm/fixed_window.h"
#include "core/algorithm/leaky_bucket.h"
#include "core/algorithm/pacer.h"
#include "core/algorithm/sliding_log.h"
#include "core/algorithm/warm_up_pacer.h"
#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::ExpectSteps;
using testing::Says;

TEST(AheadOfTimeTest, LeakyBucketKeepsItsQueue) {
  const LeakyBucket limit{MakeInterval({1, 1s}), 10, 0, 1h};
  FineTime next;
  ExpectSteps(limit, next,
              {{100s, 3, Says::kYes, 8, 0s, 3s, 0s},
               {98s, 0, Says::kYes, 6, 0s, 5s},
               {98s, 6, Says::kYes, 0, 0s, 11s, 5s},
               {98s, 1, Says::kNo, 0, 1s, 11s}});
}

TEST(AheadOfTimeTest, PacerKeepsItsNextTurn) {
  const Pacer limit{MakeInterval({1, 1s}), 0, 1h};
  FineTime tat;
  ExpectSteps(limit, tat,
              {{100s, 3, Says::kYes, kNoUnits, 0s, 3s, 0s},
               {98s, 1, Says::kYes, kNoUnits, 0s, 6s, 5s},
               {104s, 1, Says::kYes, kNoUnits, 0s, 1s, 0s}});
}

TEST(AheadOfTimeTest, WarmUpPacerKeepsItsNextTurn) {
  const WarmUpPacer limit{1e9, 4s, 3, 1h};
  WarmUpPacer::State state;
  Check(limit, state, {1}, Time{100s});
  const Time next = state.next;
  const Decision early = Check(limit, state, {1}, Time{90s});
  EXPECT_TRUE(early.allowed);
  EXPECT_EQ(early.wait, next - Time{90s});
  EXPECT_GT(state.next, next);
}

TEST(AheadOfTimeTest, FixedWindowIsOpenBeforeItBegins) {
  FixedWindow limit;
  limit.rate = {10, 1min};
  FixedWindow::State state;
  Check(limit, state, {4}, Time{130s}, {});
  const Decision early = Check(limit, state, {6}, Time{100s}, {});
  EXPECT_TRUE(early.allowed);
  EXPECT_EQ(early.remaining, 0);
  EXPECT_EQ(early.reset_after, 80s);
  EXPECT_EQ(state.end, Time{180s});
  EXPECT_EQ(Peek(limit, state, {1}, Time{100s}, {}).retry_after, 80s);
}

TEST(AheadOfTimeTest, LogWithMinGapRefusesUntilTheGapHasPassed) {
  std::array<LogEntry, 4> ring{};
  LogState state{ring};
  SlidingLog limit;
  limit.rate = {3, 10s};
  limit.min_gap = 2s;
  EXPECT_TRUE(Check(limit, state, {1}, Time{100s}).allowed);
  const Decision early = Check(limit, state, {1}, Time{95s});
  EXPECT_FALSE(early.allowed);
  EXPECT_EQ(early.retry_after, 7s);
  EXPECT_EQ(state.units, 1);
}

TEST(AheadOfTimeTest, PermitsAreHeldUntilTheirDeadline) {
  std::array<Permit, 4> room{};
  PermitsState state{room};
  const Concurrency limit{2, 10s};
  EXPECT_TRUE(Acquire(limit, state, {1}, {1}, Time{100s}).allowed);
  EXPECT_TRUE(Acquire(limit, state, {2}, {1}, Time{95s}).allowed);
  const Decision third = Acquire(limit, state, {3}, {1}, Time{95s});
  EXPECT_FALSE(third.allowed);
  EXPECT_EQ(third.retry_after, 10s) << "the second was asked for last and is the first to go";
  EXPECT_EQ(third.reset_after, 15s);
}

}  // namespace
}  // namespace sluice
