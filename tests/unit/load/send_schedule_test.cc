#include "load/send_schedule.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr Time kBegin{std::chrono::seconds{1'700'000'000}};

// Takes all requests that are due at this time. Returns their due times, relative to the beginning.
std::vector<Nanos> TakeAll(SendSchedule& schedule, Nanos at) {
  std::vector<Nanos> taken;
  while (const std::optional<Time> intended = schedule.Next(kBegin + at)) {
    taken.push_back(*intended - kBegin);
  }
  return taken;
}

using Taken = std::vector<Nanos>;

// Invariant (1).
TEST(SendScheduleTest, OpenLoopRequestsAreDueAtTheirExactTimes) {
  SendSchedule schedule({.rate = 3, .duration = 1s}, {}, kBegin);
  EXPECT_EQ(schedule.NextDue(), kBegin);
  EXPECT_EQ(TakeAll(schedule, 0s), Taken{0s});
  EXPECT_EQ(schedule.NextDue(), kBegin + 333'333'333ns);
  EXPECT_EQ(TakeAll(schedule, 333'333'332ns), Taken{});
  EXPECT_EQ(TakeAll(schedule, 333'333'333ns), Taken{333'333'333ns});
  EXPECT_EQ(TakeAll(schedule, 10s), Taken{666'666'666ns});
  EXPECT_TRUE(schedule.IsOver(kBegin));
  EXPECT_EQ(schedule.NextDue(), std::nullopt);
}

// Invariant (1).
TEST(SendScheduleTest, ReturnsLateRequestsWithTheirDueTimes) {
  SendSchedule schedule({.rate = 10, .duration = 1s}, {}, kBegin);
  EXPECT_EQ(TakeAll(schedule, 0s).size(), 1U);
  const std::vector<Nanos> late = TakeAll(schedule, 500ms);
  EXPECT_EQ(late, (Taken{100ms, 200ms, 300ms, 400ms, 500ms}));
}

// Invariant (2).
TEST(SendScheduleTest, OpenLoopSendsRateTimesDuration) {
  for (const std::uint64_t rate : {1U, 7U, 1000U, 333'333U}) {
    SendSchedule schedule({.rate = rate, .duration = 3s}, {}, kBegin);
    EXPECT_EQ(schedule.unsent(), 3 * rate);
    EXPECT_EQ(TakeAll(schedule, 1h).size(), 3 * rate);
    EXPECT_EQ(schedule.unsent(), 0U);
  }
  SendSchedule uneven({.rate = 3, .duration = 500ms}, {}, kBegin);
  EXPECT_EQ(TakeAll(uneven, 1h), (Taken{0s, 333'333'333ns}));
}

// Invariant (2).
TEST(SendScheduleTest, OpenLoopCanEndAfterANumberOfRequests) {
  SendSchedule schedule({.rate = 10, .warm_up = 250ms, .requests = 4}, {}, kBegin);
  EXPECT_EQ(schedule.measured_from(), kBegin + 250ms);
  EXPECT_EQ(schedule.end(), kBegin + 600ms);
  EXPECT_EQ(TakeAll(schedule, 1h), (Taken{0s, 100ms, 200ms, 300ms, 400ms, 500ms, 600ms}));
}

// Invariant (3).
TEST(SendScheduleTest, SlicesShareAnOpenLoop) {
  SendSchedule one({.rate = 5, .duration = 1s}, {0, 2}, kBegin);
  SendSchedule other({.rate = 5, .duration = 1s}, {1, 2}, kBegin);
  EXPECT_EQ(TakeAll(one, 1h), (Taken{0s, 400ms, 800ms}));
  EXPECT_EQ(TakeAll(other, 1h), (Taken{200ms, 600ms}));
  SendSchedule none({.rate = 1, .requests = 1}, {1, 2}, kBegin);
  EXPECT_TRUE(none.IsOver(kBegin));
  EXPECT_EQ(none.end(), std::nullopt);
}

TEST(SendScheduleTest, UnsentExcludesTheWarmUp) {
  const LoadAmount amount{.rate = 10, .warm_up = 250ms, .duration = 1s};
  SendSchedule schedule(amount, {}, kBegin);
  EXPECT_EQ(schedule.unsent(), 10U);
  schedule.Next(kBegin);
  EXPECT_EQ(schedule.unsent(), 10U);
  EXPECT_EQ(TakeAll(schedule, 400ms), (Taken{100ms, 200ms, 300ms, 400ms}));
  EXPECT_EQ(schedule.unsent(), 8U);
  schedule.Again(kBegin + 200ms);
  EXPECT_EQ(schedule.unsent(), 8U);
  schedule.Again(kBegin + 300ms);
  EXPECT_EQ(schedule.unsent(), 9U);
  EXPECT_EQ(SendSchedule(amount, {0, 2}, kBegin).unsent(), 5U) << "400 ms, 600 ms ... 1200 ms";
  EXPECT_EQ(SendSchedule(amount, {1, 2}, kBegin).unsent(), 5U) << "300 ms, 500 ms ... 1100 ms";
}

TEST(SendScheduleTest, CountsALongOpenLoopExactly) {
  SendSchedule schedule({.rate = 999'999'937, .duration = std::chrono::hours{24 * 365}}, {},
                        kBegin);
  const std::uint64_t all = 999'999'937ULL * 86400 * 365;
  EXPECT_EQ(schedule.unsent(), all);
}

TEST(SendScheduleTest, ClosedLoopAlwaysHasARequestUntilItsEnd) {
  SendSchedule schedule({.warm_up = 1s, .duration = 2s}, {}, kBegin);
  EXPECT_EQ(schedule.NextDue(), std::nullopt);
  EXPECT_EQ(schedule.Next(kBegin), kBegin);
  EXPECT_EQ(schedule.Next(kBegin + 3s - 1ns), kBegin + 3s - 1ns);
  EXPECT_EQ(schedule.Next(kBegin + 3s), std::nullopt);
  EXPECT_FALSE(schedule.IsOver(kBegin + 3s - 1ns));
  EXPECT_TRUE(schedule.IsOver(kBegin + 3s));
  EXPECT_EQ(schedule.unsent(), 0U);
}

// Invariants (2) and (3).
TEST(SendScheduleTest, ClosedLoopCountsRequestsAfterTheWarmUp) {
  SendSchedule one({.warm_up = 1s, .requests = 5}, {0, 2}, kBegin);
  SendSchedule other({.warm_up = 1s, .requests = 5}, {1, 2}, kBegin);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(one.Next(kBegin + 500ms), kBegin + 500ms);
  EXPECT_EQ(TakeAll(one, 1s).size(), 3U);
  EXPECT_EQ(TakeAll(other, 2s).size(), 2U);
  EXPECT_TRUE(one.IsOver(kBegin + 1s));
}

TEST(SendScheduleTest, SendsReturnedRequestsFirst) {
  SendSchedule schedule({.rate = 10, .requests = 1}, {}, kBegin);
  const Time intended = *schedule.Next(kBegin);
  EXPECT_TRUE(schedule.IsOver(kBegin + 1s));
  schedule.Again(intended);
  EXPECT_FALSE(schedule.IsOver(kBegin + 1s));
  EXPECT_EQ(schedule.unsent(), 1U);
  EXPECT_EQ(schedule.Next(kBegin + 1s), intended);
  EXPECT_TRUE(schedule.IsOver(kBegin + 1s));
}

}  // namespace
}  // namespace sluice
