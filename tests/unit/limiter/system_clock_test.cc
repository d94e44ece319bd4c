#include "limiter/system_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

constexpr Nanos kSecond{1'000'000'000};
constexpr Nanos kHour{3600 * kSecond};
constexpr Time kWall{Nanos{1'700'000'000'000'000'000}};
constexpr Nanos kUp{12'345'678'901};  // the steady clock at the start

// Returns readings of a machine whose wall clock is `ahead` of a clock without steps.
ClockReading After(Nanos passed, Nanos ahead = Nanos{0}) {
  return {kUp + passed, kWall + passed + ahead};
}

TEST(SlewedTimeTest, StartsAtWallTimeAndFollowsTheSteadyClock) {
  SlewedTime time(After(Nanos{0}));
  EXPECT_EQ(time.At(After(Nanos{0})), kWall);
  EXPECT_EQ(time.At(After(kSecond)), kWall + kSecond);
  EXPECT_EQ(time.At(After(kHour)), kWall + kHour);
  EXPECT_EQ(time.JumpsForTest(), 0U);
}

TEST(SlewedTimeTest, ForwardJumpOfTheWallDoesNotSkipTime) {
  SlewedTime time(After(Nanos{0}));
  const Time before = time.At(After(kSecond));
  const Time after = time.At(After(2 * kSecond, 24 * kHour));
  EXPECT_EQ(after - before, kSecond + kSecond / 2000);
  EXPECT_EQ(time.JumpsForTest(), 1U);
}

TEST(SlewedTimeTest, BackwardJumpOfTheWallDoesNotFreezeTime) {
  SlewedTime time(After(Nanos{0}));
  const Time before = time.At(After(kSecond));
  const Time after = time.At(After(2 * kSecond, -24 * kHour));
  EXPECT_EQ(after - before, kSecond - kSecond / 2000);
  EXPECT_EQ(time.JumpsForTest(), 1U);
}

TEST(SlewedTimeTest, ReachesTheWallAfterAJumpAndStaysWithIt) {
  for (const Nanos ahead : {10 * kSecond, -10 * kSecond}) {
    SlewedTime time(After(Nanos{0}));
    // 10 seconds at 1/2000 take 20,000 seconds.
    Nanos passed{0};
    for (; passed < 19'000 * kSecond; passed += kSecond) {
      EXPECT_NE(time.At(After(passed, ahead)), kWall + passed + ahead);
    }
    for (; passed < 20'002 * kSecond; passed += kSecond) time.At(After(passed, ahead));
    EXPECT_EQ(time.At(After(passed, ahead)), kWall + passed + ahead);
    EXPECT_EQ(time.At(After(passed + kHour, ahead)), kWall + passed + kHour + ahead);
    EXPECT_EQ(time.JumpsForTest(), 1U);
  }
}

TEST(SlewedTimeTest, SmallAdjustmentsAreNoJumps) {
  SlewedTime time(After(Nanos{0}));
  for (int i = 1; i <= 100; ++i) time.At(After(i * kSecond, i * kSecond / 1000));
  time.At(After(200 * kSecond, kSecond / 10 + kSecond));  // exactly a second more
  EXPECT_EQ(time.JumpsForTest(), 0U);
  time.At(After(201 * kSecond, kSecond / 10 + 2 * kSecond + Nanos{1}));
  EXPECT_EQ(time.JumpsForTest(), 1U);
}

TEST(SlewedTimeTest, CountsEveryJumpOnce) {
  SlewedTime time(After(Nanos{0}));
  time.At(After(kSecond, kHour));
  time.At(After(2 * kSecond, kHour));
  time.At(After(3 * kSecond, Nanos{0}));
  time.At(After(4 * kSecond, Nanos{0}));
  EXPECT_EQ(time.JumpsForTest(), 2U);
}

// Invariants (1) and (2), whatever the wall clock does.
TEST(SlewedTimeTest, NeverGoesBackAndKeepsItsPace) {
  ForEachSeed(50, [](Random& random) {
    SlewedTime time(After(Nanos{0}));
    Time last = kWall;
    Nanos passed{0};
    Nanos ahead{0};
    const auto start = last;
    for (int i = 0; i < 300; ++i) {
      const Nanos step{random.Spread(0, kHour.count())};
      passed += step;
      if (random.OneIn(5)) ahead += Nanos{random.Between(-kHour.count(), kHour.count())};
      const Time now = time.At(After(passed, ahead));
      EXPECT_GE(now, last);
      EXPECT_LE((now - last - step).count(), step.count() / 2000);
      EXPECT_GE((now - last - step).count(), -step.count() / 2000);
      last = now;
    }
    EXPECT_LE(((last - start) - passed).count(), passed.count() / 2000);
    EXPECT_GE(((last - start) - passed).count(), -passed.count() / 2000);
  });
}

TEST(SlewedTimeTest, TimeContinuesWhileTheMachineIsSuspended) {
  SlewedTime time(After(Nanos{0}));
  EXPECT_EQ(time.At(After(72 * kHour)), kWall + 72 * kHour);
  EXPECT_EQ(time.JumpsForTest(), 0U);
}

TEST(SystemClockTest, ShowsATimeOfThisCenturyThatNeverGoesBack) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time first = clock->Now();
  EXPECT_GT(first, Time{Nanos{1'600'000'000'000'000'000}});
  EXPECT_LT(first, kLatestTime);
  Time last = first;
  for (int i = 0; i < 10'000; ++i) {
    const Time now = clock->Now();
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, first);
}

TEST(SystemClockTest, SleepsForAtLeastTheRequestedLength) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time before = clock->Now();
  clock->SleepFor(Nanos{20'000'000});
  // Time may be slewed by 1/2000.
  EXPECT_GE(clock->Now() - before, Nanos{19'990'000});
}

TEST(SystemClockTest, RequestsNoSleepForZeroAndLess) {
  for (const Nanos length : {Nanos{0}, Nanos{-1}, Nanos{-5}, -60 * kSecond, Nanos::min()}) {
    ASSERT_FALSE(SleepRequest(length)) << length.count();
  }
  MakeSystemClock()->SleepFor(Nanos{-5});  // returns
}

TEST(SystemClockTest, RequestsASleepOfTheGivenLength) {
  for (const Nanos length : {Nanos{1}, kSecond - Nanos{1}, kSecond, 90 * kSecond + Nanos{5},
                             kLongestSpan, Nanos::max()}) {
    const std::optional<timespec> request = SleepRequest(length);
    ASSERT_TRUE(request) << length.count();
    EXPECT_EQ(std::chrono::seconds{request->tv_sec} + Nanos{request->tv_nsec}, length);
    EXPECT_LT(request->tv_nsec, kSecond.count());
  }
}

TEST(SystemClockTest, AllowsReadingFromManyThreads) {
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  std::atomic<int> backwards{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      Time last = clock->Now();
      for (int j = 0; j < 5'000; ++j) {
        const Time now = clock->Now();
        // Threads may see a slew of a few microseconds at different moments.
        if (now < last - Nanos{1'000'000}) ++backwards;
        last = now;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(backwards.load(), 0);
}

}  // namespace
}  // namespace sluice
