#include "core/algorithm/fixed_window.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::Debt;
using testing::ExpectRemainingIsExact;
using testing::ExpectRetryIsExact;
using testing::ExpectSteps;
using testing::Says;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

FixedWindow Window(Rate rate, WindowKind window = WindowKind::kAligned,
                   Refused count_refused = Refused::kFree) {
  FixedWindow limit;
  limit.rate = rate;
  limit.window = window;
  limit.count_refused = count_refused;
  return limit;
}

// Berlin around the spring of 2024: UTC+1, and UTC+2 from 31 March 01:00 UTC on.
FixedWindow CalendarInBerlin(std::int64_t count, CalendarUnit unit) {
  FixedWindow limit = Window({count, 0ns}, WindowKind::kCalendar);
  limit.unit = unit;
  limit.zone = std::make_shared<Zone>(Zone{"Europe/Berlin", 3600, {{1'711'846'800, 7200}}});
  return limit;
}

TEST(FixedWindowTest, CountsInWindowsAlignedTo1970) {
  FixedWindow::State state;
  ExpectSteps(Window({10, 2s}), state,
              {{1s, 5, Says::kYes, 5, 0s, 1s},
               {1s, 6, Says::kNo, 5, 1s, 1s},
               {1s, 5, Says::kYes, 0, 0s, 1s},
               {1s, 1, Says::kNo, 0, 1s, 1s},
               {1s, 11, Says::kNo, 0, kNever, 1s},
               {2s - 1ns, 1, Says::kNo, 0, 1ns, 1ns},
               {2s, 1, Says::kYes, 9, 0s, 2s},
               {2s, 9, Says::kYes, 0, 0s, 2s}});
}

TEST(FixedWindowTest, MatchesGubernator) {
  FixedWindow::State state;
  ExpectSteps(Window({2000, 1s}), state,
              {{0s, 1000, Says::kYes, 1000},
               {0s, 1500, Says::kNo, 1000},
               {0s, 500, Says::kYes, 500},
               {0s, 400, Says::kYes, 100},
               {0s, 100, Says::kYes, 0},
               {0s, 1, Says::kNo, 0}});
  FixedWindow::State drained;
  ExpectSteps(Window({10, 1s}, WindowKind::kAligned, Refused::kRecord), drained,
              {{0s, 1, Says::kYes, 9}, {0s, 100, Says::kNo, 0, kNever, 1s}, {0s, 1, Says::kNo, 0}});
}

TEST(FixedWindowTest, OpensWindowAtFirstRequest) {
  FixedWindow::State state;
  ExpectSteps(Window({2, 9s}, WindowKind::kFirstRequest), state,
              {{1s, 1, Says::kYes, 1, 0s, 9s},
               {5s, 1, Says::kYes, 0, 0s, 5s},
               {9s, 1, Says::kNo, 0, 1s, 1s},
               {10s - 1ns, 1, Says::kNo, 0, 1ns, 1ns},
               {10s, 1, Says::kYes, 1, 0s, 9s}});
}

TEST(FixedWindowTest, ShiftsStaggeredWindowsByKeyHash) {
  struct Case {
    std::uint64_t hash;
    Nanos now;
    Nanos reset_after;
  };
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63U;
  const Case cases[] = {
      {0, 10s, 10s},     {kHalf, 10s, 5s},         {kHalf, 4s, 1s},
      {kHalf, 15s, 10s}, {kHalf / 2, 10s, 2500ms}, {~std::uint64_t{0}, 10s, 10s - 1ns}};
  const FixedWindow limit = Window({1, 10s}, WindowKind::kStaggered);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.hash);
    FixedWindow::State state;
    EXPECT_EQ(Check(limit, state, {1}, Time{c.now}, {c.hash}).reset_after, c.reset_after);
    EXPECT_EQ(Check(limit, state, {1}, Time{c.now}, {c.hash}).retry_after, c.reset_after);
    const Time end = Time{c.now} + c.reset_after;
    EXPECT_EQ(Check(limit, state, {1}, end, {c.hash}).reset_after, 10s);
  }
}

TEST(FixedWindowTest, FollowsZoneForCalendarMonths) {
  constexpr Nanos kLastSecondOfFebruary = 1'709'247'599s;
  FixedWindow::State state;
  ExpectSteps(CalendarInBerlin(2, CalendarUnit::kMonth), state,
              {{kLastSecondOfFebruary, 1, Says::kYes, 1, 0s, 1s},
               {kLastSecondOfFebruary, 1, Says::kYes, 0, 0s, 1s},
               {kLastSecondOfFebruary, 1, Says::kNo, 0, 1s, 1s},
               {kLastSecondOfFebruary + 1s, 1, Says::kYes, 1, 0s, 2'674'800s}});
}

TEST(FixedWindowTest, SpringChangeDayHasTwentyThreeHours) {
  constexpr Nanos kMidnight = 1'711'839'600s;  // 31 March 2024 in Berlin
  FixedWindow::State state;
  ExpectSteps(CalendarInBerlin(1, CalendarUnit::kDay), state,
              {{kMidnight, 1, Says::kYes, 0, 0s, 23h},
               {kMidnight, 1, Says::kNo, 0, 23h},
               {kMidnight + 23h, 1, Says::kYes, 0, 0s, 24h}});
}

TEST(FixedWindowTest, Invariant1CountStaysWithinRateAndZeroBlocks) {
  FixedWindow::State blocked;
  ExpectSteps(Window({0, 1s}, WindowKind::kAligned, Refused::kRecord), blocked,
              {{0s, 1, Says::kNo, 0, kNever, 0s}, {0s, 0, Says::kYes, 0, 0s, 0s}});
  EXPECT_EQ(blocked, FixedWindow::State{});
  FixedWindow::State max;
  ExpectSteps(Window({kMax, kLongestSpan}, WindowKind::kFirstRequest, Refused::kRecord), max,
              {{kLatestTime.time_since_epoch(), kMax - 1, Says::kYes, 1, 0s, kLongestSpan},
               {kLatestTime.time_since_epoch(), kMax, Says::kNo, 0, kLongestSpan}});
  EXPECT_EQ(max.count, kMax);
}

TEST(FixedWindowTest, Invariant2CountZeroIsStateOfUnusedKey) {
  const FixedWindow limit = Window({3, 10s}, WindowKind::kFirstRequest);
  FixedWindow::State state;
  EXPECT_EQ(UnusedAt(limit, state), Time{});
  Check(limit, state, {2}, Time{1s});
  EXPECT_EQ(UnusedAt(limit, state), Time{11s});
  Refund(limit, state, {2}, Time{2s});
  EXPECT_EQ(state, FixedWindow::State{});
  EXPECT_EQ(Check(limit, state, {1}, Time{4s}).reset_after, 10s);
}

TEST(FixedWindowTest, Invariant3RecordsRefusalOnlyIfConfigured) {
  FixedWindow::State state;
  const FixedWindow free = Window({3, 10s});
  ExpectSteps(free, state, {{0s, 2}, {0s, 2, Says::kNo, 1, 10s}, {0s, 4, Says::kNo, 1, kNever}});
  EXPECT_EQ(state.count, 2);
  const FixedWindow record = Window({3, 10s}, WindowKind::kAligned, Refused::kRecord);
  ExpectSteps(record, state,
              {{0s, 2, Says::kNo, 0, 10s, 10s},
               {0s, 1, Says::kNo, 0, 10s, 10s},
               {10s, 1, Says::kYes, 2, 0s, 10s}});
  FixedWindow::State never;
  ExpectSteps(record, never, {{4s, 4, Says::kNo, 0, kNever, 6s}});
  EXPECT_EQ(never, (FixedWindow::State{Time{10s}, 3}));
}

TEST(FixedWindowTest, Invariant4PeekAndZeroCostKeepTheState) {
  for (const Refused count_refused : {Refused::kFree, Refused::kRecord}) {
    const FixedWindow limit = Window({3, 10s}, WindowKind::kFirstRequest, count_refused);
    FixedWindow::State state;
    Check(limit, state, {2}, Time{1s});
    const FixedWindow::State before = state;
    EXPECT_FALSE(Peek(limit, state, {2}, Time{2s}).allowed);
    EXPECT_TRUE(Peek(limit, state, {1}, Time{2s}).allowed);
    EXPECT_TRUE(Check(limit, state, {0}, Time{20s}).allowed);
    EXPECT_EQ(state, before);
  }
}

TEST(FixedWindowTest, PassesExactlyAtRetryAfter) {
  for (const WindowKind kind :
       {WindowKind::kAligned, WindowKind::kFirstRequest, WindowKind::kStaggered}) {
    const FixedWindow limit = Window({5, 7s}, kind);
    FixedWindow::State state;
    Check(limit, state, {3}, Time{10s});
    ExpectRetryIsExact(limit, state, 3, 11s);
    ExpectRemainingIsExact(limit, state, 11s);
  }
}

TEST(FixedWindowTest, GrantsNothingExtraWhenClockStepsBack) {
  FixedWindow::State state;
  ExpectSteps(Window({1, 10s}), state, {{35s}, {12s, 1, Says::kNo, 0, 28s, 28s}, {40s}});
}

TEST(FixedWindowTest, RefundReturnsAtMostCountOfOpenWindow) {
  const FixedWindow limit = Window({5, 10s});
  FixedWindow::State state;
  Check(limit, state, {4}, Time{1s});
  Refund(limit, state, {3}, Time{2s});
  EXPECT_EQ(state.count, 1);
  Refund(limit, state, {1}, Time{10s});  // the window has ended
  EXPECT_EQ(state, FixedWindow::State{});
  Check(limit, state, {4}, Time{11s});
  Refund(limit, state, {kMax}, Time{12s});
  EXPECT_EQ(Peek(limit, state, {0}, Time{12s}).remaining, 5);
}

TEST(FixedWindowTest, ConvertCarriesCountOfOpenWindow) {
  const FixedWindow from = Window({5, 10s});
  FixedWindow::State open;
  Check(from, open, {4}, Time{1s});
  FixedWindow::State over = open;
  FixedWindow::State shrunk = open;
  Convert(from, Window({9, 4s}), open, Time{9s});
  EXPECT_EQ(open, (FixedWindow::State{Time{12s}, 4}));
  Convert(from, Window({9, 4s}), over, Time{10s});
  EXPECT_EQ(over, FixedWindow::State{});
  Convert(from, Window({2, 10s}), shrunk, Time{9s});
  EXPECT_EQ(shrunk.count, 2);
}

TEST(FixedWindowTest, ConvertKeepsOpeningTimeOfFirstRequestWindow) {
  const FixedWindow from = Window({5, 10s}, WindowKind::kFirstRequest);
  FixedWindow::State longer;
  Check(from, longer, {4}, Time{1s});
  FixedWindow::State shorter = longer;
  Convert(from, Window({5, 30s}, WindowKind::kFirstRequest), longer, Time{9s});
  EXPECT_EQ(longer.end, Time{31s});
  Convert(from, Window({5, 3s}, WindowKind::kFirstRequest), shorter, Time{9s});
  EXPECT_EQ(shorter.end, Time{12s});
}

TEST(FixedWindowTest, Invariant5DebtFillsTheWindowAndEndsWithIt) {
  for (const WindowKind kind : {WindowKind::kAligned, WindowKind::kFirstRequest}) {
    FixedWindow::State state;
    ExpectSteps(Window({10, 2s}, kind), state,
                {{4s, 3, Says::kYes, 7},
                 Debt(5s, 2),
                 {5s, 0, Says::kYes, 5, 0s, 1s, 0s},
                 Debt(5s, kMax),
                 {5s, 0, Says::kYes, 0, 0s, 1s, 0s},
                 Debt(5s, 1),
                 {5s, 10, Says::kNo, 0, 1s, 1s},
                 {5s, 11, Says::kNo, 0, kNever, 1s},
                 {6s, 10, Says::kYes, 0, 0s, 2s}});
  }
}

TEST(FixedWindowTest, DebtOpensWindowAndCanBeRefunded) {
  const FixedWindow limit = Window({10, 2s}, WindowKind::kFirstRequest);
  FixedWindow::State state;
  EXPECT_EQ(TakeDebt(limit, state, {0}, Time{7s}).reset_after, 0s);
  EXPECT_EQ(state, FixedWindow::State{});
  EXPECT_EQ(TakeDebt(limit, state, {12}, Time{7s}).reset_after, 2s);
  Refund(limit, state, {4}, Time{8s});
  EXPECT_EQ(Peek(limit, state, {0}, Time{8s}).remaining, 4);
  FixedWindow::State staggered;
  TakeDebt(Window({10, 2s}, WindowKind::kStaggered), staggered, {1}, Time{6s},
           Stagger{std::uint64_t{1} << 63U});
  EXPECT_EQ(staggered.end, Time{7s});
}

TEST(FixedWindowTest, DebtTakesNothingFromBlockingWindow) {
  FixedWindow::State state;
  EXPECT_EQ(TakeDebt(Window({0, 2s}), state, {3}, Time{7s}), Decision{});
  EXPECT_EQ(state, FixedWindow::State{});
}

// A debt is never larger than what the window had left, so a refund takes effect at once.
TEST(FixedWindowTest, DebtAddsAtMostRemainingUnits) {
  const FixedWindow limit = Window({10, 1min});
  FixedWindow::State state;
  ExpectSteps(limit, state, {{5s, 5, Says::kYes, 5}, Debt(5s, 8), {5s, 0, Says::kYes, 0}});
  EXPECT_EQ(state.count, 10);
  Refund(limit, state, {4}, Time{5s});
  EXPECT_EQ(Peek(limit, state, {0}, Time{5s}, {}).remaining, 4);
}

}  // namespace
}  // namespace sluice
