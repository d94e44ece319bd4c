#include "core/algorithm/debt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>

#include "core/algorithm/carry_over.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TokenBucket Greedy(Rate rate, std::int64_t burst, Nanos max_wait = 0ns) {
  return {MakeInterval(rate), burst, max_wait};
}

IntervalBucket AtOnce(Rate rate, std::int64_t burst, Nanos max_wait = 0ns) {
  return {rate, burst, max_wait, RefillPhase::kFromFirstCharge};
}

TEST(DebtTest, ReachesOneYearAheadOrAsFarAsChecks) {
  const Interval interval = MakeInterval({3, 10s});
  const Uint128 year = TicksOf(interval, Nanos{24h * 365});
  EXPECT_TRUE(FurthestAhead({interval, 7, 7}) == year);
  EXPECT_TRUE(FurthestAhead({interval, 7, year + 7}) == year + 7);
}

TEST(DebtTest, NeverReducesHeldTicks) {
  const Room room{MakeInterval({3, 10s}), 7, 7};
  const Uint128 beyond = FurthestAhead(room) + 5;
  EXPECT_TRUE(AfterDebt(room, beyond, {1}) == beyond);
  EXPECT_TRUE(AfterDebt(room, 5, {kMax}) == FurthestAhead(room));
  EXPECT_TRUE(AfterDebt(room, 5, {2}) == 5 + TicksOf(room.interval, 2));
}

TEST(DebtTest, CarriesOverFromGreedyToIntervalRefill) {
  const TokenBucket from = Greedy({10, 1h}, 10);
  FineTime tat;
  TakeDebt(from, tat, {25}, Time{0s});
  // Ten of ten units are used, and fifteen are owed.
  const IntervalBucket to = AtOnce({4, 1h}, 4);
  const IntervalBucket::State state = CarryOver(from, tat, to, Time{0s});
  EXPECT_EQ(state.used, 19);
  EXPECT_EQ(Peek(to, state, {4}, Time{0s}).retry_after, 5h);
  TakeDebt(from, tat, {kMax}, Time{0s});
  EXPECT_EQ(CarryOver(from, tat, AtOnce({1, 24h}, 4), Time{0s}).used, 365);
}

TEST(DebtTest, CarriesOverFromIntervalToGreedyRefill) {
  const IntervalBucket from = AtOnce({10, 1h}, 10);
  IntervalBucket::State state;
  TakeDebt(from, state, {25}, Time{0s});
  const TokenBucket to = Greedy({4, 1h}, 4);
  EXPECT_EQ(Peek(to, CarryOver(from, state, to, Time{0s}), {0}, Time{0s}).reset_after, 19 * 15min);
  TakeDebt(from, state, {kMax}, Time{0s});
  const FineTime furthest = CarryOver(from, state, to, Time{0s});
  EXPECT_EQ(Peek(to, furthest, {0}, Time{0s}).reset_after, kDebtSpan);
}

// Requests that were booked ahead within max_wait have been admitted, so they carry over like a
// debt.
TEST(DebtTest, CarriesOverBookedUnitsInFull) {
  const TokenBucket from = Greedy({10, 1h}, 10, 30min);
  FineTime tat;
  Check(from, tat, {10}, Time{0s});
  ASSERT_TRUE(Check(from, tat, {5}, Time{0s}).allowed);
  const TokenBucket to = Greedy({4, 1h}, 4);
  Convert(from, to, tat, Time{0s});
  EXPECT_EQ(Peek(to, tat, {0}, Time{0s}).reset_after, 9 * 15min);
  const IntervalBucket once = AtOnce({10, 1h}, 10, 2h);
  IntervalBucket::State state;
  Check(once, state, {10}, Time{0s});
  ASSERT_TRUE(Check(once, state, {5}, Time{0s}).allowed);
  EXPECT_EQ(Peek(to, CarryOver(once, state, to, Time{0s}), {0}, Time{0s}).reset_after, 9 * 15min);
  Convert(once, AtOnce({4, 1h}, 4), state, Time{0s});
  EXPECT_EQ(state.used, 9);
}

TEST(DebtTest, CarriesOverPacerDebtAsBookedTime) {
  const Interval interval = MakeInterval({1, 1s});
  const Pacer from{interval, TicksOf(interval, std::int64_t{5}), 0ns};
  FineTime tat;
  TakeDebt(from, tat, {65}, Time{10s});
  WarmUpPacer warm{1e9, 4s, 3, 0ns};
  const WarmUpPacer::State state = CarryOver(from, tat, warm, Time{10s});
  EXPECT_EQ(Peek(warm, state, {1}, Time{10s}).retry_after, 1min);
  const FineTime back = CarryOver(warm, state, from, Time{10s});
  EXPECT_EQ(Peek(from, back, {1}, Time{10s}).retry_after, 1min);
}

// Interval refill counts whole tokens, so a token that is only partly back still counts as used.
TEST(DebtTest, RoundsPartiallyUsedTokenUp) {
  const TokenBucket from = Greedy({10, 10s}, 10);
  const IntervalBucket to = AtOnce({10, 1h}, 10);
  FineTime tat;
  Check(from, tat, {3}, Time{0s});
  EXPECT_EQ(CarryOver(from, tat, to, Time{0s}).used, 3);
  EXPECT_EQ(CarryOver(from, tat, to, Time{1ns}).used, 3);
  EXPECT_EQ(CarryOver(from, tat, to, Time{999'999'999ns}).used, 3);
  EXPECT_EQ(CarryOver(from, tat, to, Time{1s}).used, 2);
  EXPECT_EQ(CarryOver(from, tat, to, Time{2'999'999'999ns}).used, 1);
  EXPECT_EQ(CarryOver(from, tat, to, Time{3s}).used, 0);
}

// The stored units of a pacer are lost when it gets a warm-up. It has been busy, so it is warm, and
// becomes cold only after a whole warm_up without a request.
TEST(DebtTest, BusyPacerIsWarmAfterChangeToWarmUp) {
  const Interval interval = MakeInterval({1, 1s});
  const Pacer from{interval, TicksOf(interval, std::int64_t{5}), 0ns};
  const WarmUpPacer warm{1e9, 4s, 3, 0ns};
  FineTime tat;
  EXPECT_EQ(CarryOver(from, tat, warm, Time{10s}), WarmUpPacer::State{});
  Check(from, tat, {2}, Time{10s});
  const WarmUpPacer::State state = CarryOver(from, tat, warm, Time{10s});
  EXPECT_EQ(Peek(warm, state, {0}, Time{10s}).reset_after, 4s);
  EXPECT_TRUE(Peek(warm, state, {1}, Time{10s}).allowed);
}

}  // namespace
}  // namespace sluice
