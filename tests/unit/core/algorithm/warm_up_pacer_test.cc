#include "core/algorithm/warm_up_pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "unit/core/algorithm/steps.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::ExpectRetryIsExact;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

WarmUpPacer Pace(double per_second, Nanos warm_up, double cold_factor = 3, Nanos max_wait = 1h) {
  return {1e9 / per_second, warm_up, cold_factor, max_wait};
}

// A caller that observes every wait, like Guava's acquire.
struct Caller {
  Nanos Acquire(const WarmUpPacer& limit, std::int64_t cost = 1) {
    const Decision decision = Check(limit, state, {cost}, now);
    EXPECT_TRUE(decision.allowed);
    now += decision.wait;
    return decision.wait;
  }

  // Returns the waits in hundredths of a second, the precision of Guava's tests.
  std::vector<std::int64_t> Hundredths(const WarmUpPacer& limit, int requests) {
    std::vector<std::int64_t> waits;
    for (int i = 0; i < requests; ++i) waits.push_back((Acquire(limit) + 5ms) / 10ms);
    return waits;
  }

  WarmUpPacer::State state;
  Time now{10s};
};

using Waits = std::vector<std::int64_t>;

TEST(WarmUpPacerTest, MatchesGuavaWarmUp) {
  const WarmUpPacer limit = Pace(2, 4s);
  const Waits cold{0, 138, 113, 88, 63, 50, 50, 50};
  Caller caller;
  EXPECT_EQ(caller.Hundredths(limit, 8), cold);
  caller.now += 500ms + 4s;
  EXPECT_EQ(caller.Hundredths(limit, 8), cold);
  caller.now += 500ms + 2s;  // half full: the flat part of the trapezoid
  EXPECT_EQ(caller.Hundredths(limit, 5), (Waits{0, 50, 50, 50, 50}));
}

TEST(WarmUpPacerTest, MatchesGuavaColdFactor) {
  Caller caller;
  EXPECT_EQ(caller.Hundredths(Pace(5, 4s, 10), 8), (Waits{0, 175, 126, 76, 30, 20, 20, 20}));
}

TEST(WarmUpPacerTest, ConvertMatchesGuavaChangeOfRate) {
  const WarmUpPacer slow = Pace(2, 4s);
  const WarmUpPacer fast = Pace(4, 4s);
  Caller caller;
  EXPECT_EQ(caller.Hundredths(slow, 3), (Waits{0, 138, 113}));
  Convert(slow, fast, caller.state, caller.now);
  EXPECT_EQ(caller.Hundredths(fast, 5), (Waits{88, 34, 28, 25, 25}));
  caller.now += 250ms + 4s;
  EXPECT_EQ(caller.Hundredths(fast, 11), (Waits{0, 72, 66, 59, 53, 47, 41, 34, 28, 25, 25}));
}

TEST(WarmUpPacerTest, ResetAfterLastsUntilNextHasPassedAndStoreIsFull) {
  const WarmUpPacer limit = Pace(2, 4s);
  const Nanos now[] = {0ms, 0ms, 1375ms, 2500ms, 3375ms, 4000ms};
  const Nanos reset_after[] = {1875ms, 3500ms, 3500ms, 3500ms, 3625ms, 4000ms};
  WarmUpPacer::State state;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(Check(limit, state, {1}, Time{now[i]}).reset_after, reset_after[i]) << i;
  }
}

TEST(WarmUpPacerTest, TotalTimeDoesNotDependOnSplitOfCost) {
  const WarmUpPacer limit = Pace(2, 4s);
  for (const std::vector<std::int64_t>& split :
       {std::vector<std::int64_t>{10}, {1, 9}, {5, 5}, {1, 2, 3, 4}, {2, 2, 2, 2, 2}}) {
    WarmUpPacer::State state;
    for (const std::int64_t cost : split) Check(limit, state, {cost}, Time{0s});
    // There are 8 stored units: the 4 on the slope take the warm-up, 4 s, and the 4 on the flat
    // part 2 s. The other 2 take 1 s at the stable rate.
    EXPECT_NEAR(static_cast<double>(state.next.time_since_epoch().count()), 7e9, 10.0);
  }
}

TEST(WarmUpPacerTest, Invariant1ExtremeTermsStayFinite) {
  const WarmUpPacer cases[] = {{1, Nanos{1}, 1, 0ns},
                               {5e8, 4s, 1, 0ns},
                               {1e-9, kLongestSpan, 9e18, 1h},
                               {3e18, kLongestSpan, 3, kLongestSpan},
                               {3e18, Nanos{1}, 9e18, 1h}};
  for (const WarmUpPacer& limit : cases) {
    SCOPED_TRACE(limit.stable_ns);
    for (const std::int64_t cost : {std::int64_t{1}, kMax}) {
      WarmUpPacer::State state;
      const Decision decision = Check(limit, state, {cost}, kLatestTime);
      EXPECT_TRUE(decision.allowed || decision.retry_after == kNever);
      EXPECT_TRUE(std::isfinite(state.stored));
      EXPECT_GE(decision.reset_after, 0ns);
      EXPECT_LE(UnusedAt(limit, state), kLatestTime + kLongestSpan);
    }
  }
}

TEST(WarmUpPacerTest, Invariant2MoveBeyondLongestSpanNeverPassesAndSumBeyondItWaits) {
  const WarmUpPacer limit{static_cast<double>(kLongestSpan.count() / 4), 1s, 1, kLongestSpan};
  WarmUpPacer::State state;
  EXPECT_EQ(Check(limit, state, {5}, Time{0s}).retry_after, kNever);
  EXPECT_EQ(Check(limit, state, {kMax}, Time{0s}).retry_after, kNever);
  EXPECT_EQ(state, WarmUpPacer::State{});
  EXPECT_TRUE(Check(limit, state, {3}, Time{0s}).allowed);
  EXPECT_NEAR(static_cast<double>(Check(limit, state, {3}, Time{0s}).retry_after.count()),
              static_cast<double>((kLongestSpan / 2).count()), 1e4);
  ExpectRetryIsExact(limit, state, 3, 0s);
  EXPECT_TRUE(Check(limit, state, {1}, Time{1s}).allowed);
}

TEST(WarmUpPacerTest, Invariant3KeyIsUnusedFromUnusedAtOn) {
  const WarmUpPacer limit{1e9 / 7, 1'000'000'007ns, 2.3, 1h};
  Caller used;
  used.Hundredths(limit, 5);
  const Time unused_at = UnusedAt(limit, used.state);
  EXPECT_EQ(Peek(limit, used.state, {0}, used.now).reset_after, unused_at - used.now);
  WarmUpPacer::State fresh;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Check(limit, used.state, {1}, unused_at), Check(limit, fresh, {1}, unused_at));
  }
  EXPECT_EQ(used.state, fresh);
  const WarmUpPacer::State left_short{Time{10s}, Time{10s}, 0.5};
  EXPECT_EQ(Peek(limit, left_short, {1}, Time{10s}), Peek(limit, {}, {1}, Time{10s}));
  WarmUpPacer::State charged = left_short;
  Check(limit, charged, {1}, Time{10s});
  WarmUpPacer::State charged_fresh;
  Check(limit, charged_fresh, {1}, Time{10s});
  EXPECT_EQ(charged, charged_fresh);
}

TEST(WarmUpPacerTest, Invariant4HasNoNumberOfUnits) {
  WarmUpPacer::State state;
  const Decision decision = Check(Pace(2, 4s), state, {1}, Time{0s});
  EXPECT_EQ(decision.limit, kNoUnits);
  EXPECT_EQ(decision.remaining, kNoUnits);
}

TEST(WarmUpPacerTest, Invariant5RefusalPeekAndZeroCostKeepTheState) {
  const WarmUpPacer limit = Pace(2, 4s, 3, 0s);
  WarmUpPacer::State state;
  Check(limit, state, {1}, Time{0s});
  const WarmUpPacer::State before = state;
  EXPECT_EQ(Check(limit, state, {1}, Time{0s}).retry_after, 1375ms);
  EXPECT_FALSE(Check(limit, state, {kMax}, Time{0s}).allowed);
  EXPECT_TRUE(Peek(limit, state, {1}, Time{2s}).allowed);
  EXPECT_TRUE(Check(limit, state, {0}, Time{2s}).allowed);
  EXPECT_EQ(state, before);
}

TEST(WarmUpPacerTest, PassesExactlyAtRetryAfter) {
  for (const Nanos max_wait : {Nanos{0}, Nanos{700ms}}) {
    const WarmUpPacer limit = Pace(3, 5s, 3, max_wait);
    WarmUpPacer::State state;
    Check(limit, state, {3}, Time{1s});
    ExpectRetryIsExact(limit, state, 1, 1s);
    ExpectRetryIsExact(limit, state, 20, 1s);
  }
}

TEST(WarmUpPacerTest, ConvertKeepsUnusedKeyUnused) {
  WarmUpPacer::State state;
  Check(Pace(2, 4s), state, {1}, Time{0s});
  Convert(Pace(2, 4s), Pace(4, 8s), state, UnusedAt(Pace(2, 4s), state));
  EXPECT_EQ(state, WarmUpPacer::State{});
}

TEST(WarmUpPacerTest, Invariant6DebtMovesNextTurnRegardlessOfMaxWait) {
  const WarmUpPacer limit = Pace(2, 4s, 3, 1s);
  WarmUpPacer::State checked;
  WarmUpPacer::State owed;
  Check(limit, checked, {3}, Time{10s});
  EXPECT_EQ(TakeDebt(limit, owed, {3}, Time{10s}), Peek(limit, checked, {0}, Time{10s}));
  EXPECT_EQ(owed, checked);
  ASSERT_FALSE(Check(limit, checked, {20}, Time{10s}).allowed);
  const Time next = owed.next;
  // Five stored units are left: two on the slope cost 750 and 250 ms more than 500 ms, three cost
  // 500 ms.
  EXPECT_EQ(TakeDebt(limit, owed, {20}, Time{10s}).wait, 0s);
  EXPECT_GT(owed.next, next + 20 * 500ms);
  EXPECT_EQ(owed.stored, 0);
  ExpectRetryIsExact(limit, owed, 1, 10s);
}

TEST(WarmUpPacerTest, DebtStaysWithinLongestSpan) {
  const WarmUpPacer limit = Pace(2, 4s);
  WarmUpPacer::State state;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(TakeDebt(limit, state, {kMax}, Time{10s}).allowed);
    EXPECT_EQ(state.next, Time{10s} + kLongestSpan);
  }
  EXPECT_EQ(TakeDebt(limit, state, {0}, Time{10s}).reset_after, kLongestSpan + 4s);
}

}  // namespace
}  // namespace sluice
