#include "redis/redis_breaker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using Failure = RedisBreaker::Failure;
using State = RedisBreaker::State;
using std::chrono::milliseconds;

constexpr Time At(int millis) { return Time{milliseconds{millis}}; }

class RedisBreakerTest : public ::testing::Test {
 protected:
  bool Refuse(Time now) { return breaker_.Fail(Failure::kRefused, now, jitter_); }
  bool MissDeadline(Time now) { return breaker_.Fail(Failure::kLate, now, jitter_); }
  // Reports refusals until it opens.
  void Open(Time now) {
    while (breaker_.state() != State::kOpen) Refuse(now);
  }
  bool Probe(Time now) {
    if (!breaker_.Admit(now)) return false;
    breaker_.Succeed(now);
    return true;
  }
  // Lets probes succeed until it closes.
  void CloseAt(Time now) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(Probe(now));
    EXPECT_EQ(breaker_.state(), State::kClosed);
  }

  // The first wait is 100 ms, the next ones 100 to 200 ms and 100 to 400 ms.
  RedisBreaker breaker_{
      {.max_failures = 3,
       .slice = milliseconds{10},
       .max_trial = 4,
       .steady = milliseconds{5000},
       .rest = {.min = milliseconds{100}, .first = milliseconds{100}, .max = milliseconds{400}}}};
  RedisJitter jitter_{1};
};

TEST_F(RedisBreakerTest, OpensAfterRefusalsInARow) {
  EXPECT_FALSE(Refuse(At(0)));
  EXPECT_FALSE(Refuse(At(0)));
  breaker_.Succeed(At(0));
  EXPECT_FALSE(Refuse(At(0)));
  EXPECT_FALSE(Refuse(At(0)));
  EXPECT_TRUE(breaker_.Admit(At(0)));
  EXPECT_TRUE(Refuse(At(0)));
  EXPECT_EQ(breaker_.state(), State::kOpen);
  // Results of commands that were in flight then are ignored.
  EXPECT_FALSE(Refuse(At(0)));
}

TEST_F(RedisBreakerTest, StaysClosedDuringOnePauseOfTheServer) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(MissDeadline(At(i % 10)));
  EXPECT_FALSE(MissDeadline(At(15)));
  breaker_.Succeed(At(30));
  EXPECT_FALSE(MissDeadline(At(40)));
  EXPECT_FALSE(MissDeadline(At(50)));
  EXPECT_TRUE(MissDeadline(At(60)));
}

TEST_F(RedisBreakerTest, OpensAfterAFewLateCommands) {
  EXPECT_FALSE(MissDeadline(At(0)));
  EXPECT_FALSE(MissDeadline(At(1000)));
  EXPECT_TRUE(MissDeadline(At(2000)));
}

TEST_F(RedisBreakerTest, OpensIfMostRepliesAreLate) {
  int millis = 0;
  while (breaker_.state() == State::kClosed && millis < 100) {
    MissDeadline(At(millis));
    breaker_.Succeed(At(millis));
    MissDeadline(At(millis++));
  }
  EXPECT_EQ(breaker_.state(), State::kOpen);
  EXPECT_LE(millis, 31);
}

TEST_F(RedisBreakerTest, StaysClosedIfHalfOfTheRepliesAreQuick) {
  for (int millis = 0; millis < 1000; ++millis) {
    EXPECT_FALSE(MissDeadline(At(millis)));
    breaker_.Succeed(At(millis));
  }
}

// Invariant (1).
TEST_F(RedisBreakerTest, AdmitsNothingWhileOpen) {
  Open(At(0));
  EXPECT_FALSE(breaker_.Admit(At(0)));
  EXPECT_FALSE(breaker_.Admit(At(99)));
  EXPECT_TRUE(breaker_.Admit(At(100)));
}

// Invariant (2).
TEST_F(RedisBreakerTest, AdmitsOneProbeAtATime) {
  Open(At(0));
  EXPECT_TRUE(breaker_.Admit(At(100)));
  EXPECT_EQ(breaker_.state(), State::kProbing);
  EXPECT_FALSE(breaker_.Admit(At(1000)));
  breaker_.Withdraw();
  EXPECT_TRUE(breaker_.Admit(At(1000)));
  breaker_.Succeed(At(1000));
  EXPECT_TRUE(breaker_.Admit(At(1000)));
  EXPECT_FALSE(breaker_.Admit(At(1000)));
}

TEST_F(RedisBreakerTest, WaitsLongerAfterAFailedProbe) {
  Open(At(0));
  ASSERT_TRUE(breaker_.Admit(At(100)));
  EXPECT_FALSE(MissDeadline(At(100)));
  EXPECT_FALSE(breaker_.Admit(At(199)));
  EXPECT_TRUE(breaker_.Admit(At(300)));
}

// Invariant (3).
TEST_F(RedisBreakerTest, ClosesAfterSuccessfulProbesInARow) {
  Open(At(0));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Probe(At(100)));
  ASSERT_TRUE(breaker_.Admit(At(100)));
  MissDeadline(At(100));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Probe(At(300)));
  EXPECT_NE(breaker_.state(), State::kClosed);
  EXPECT_TRUE(Probe(At(300)));
  EXPECT_EQ(breaker_.state(), State::kClosed);
  EXPECT_TRUE(breaker_.Admit(At(300)));
  EXPECT_TRUE(breaker_.Admit(At(300)));
}

TEST_F(RedisBreakerTest, IgnoresSuccessesOfCommandsSentBeforeItOpened) {
  Open(At(0));
  for (int i = 0; i < 100; ++i) breaker_.Succeed(At(50));
  EXPECT_FALSE(breaker_.Admit(At(50)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Probe(At(100)));
  EXPECT_NE(breaker_.state(), State::kClosed);
}

// Invariant (5).
TEST_F(RedisBreakerTest, ForgetsFailuresAfterASteadyPeriod) {
  Open(At(0));
  ASSERT_TRUE(breaker_.Admit(At(100)));
  MissDeadline(At(100));
  CloseAt(At(300));
  Open(At(5300));
  EXPECT_TRUE(breaker_.Admit(At(5400)));
}

TEST_F(RedisBreakerTest, WaitsLongerIfItReopensSoon) {
  Open(At(0));
  CloseAt(At(100));
  Open(At(5099));
  EXPECT_FALSE(breaker_.Admit(At(10098)));
  EXPECT_TRUE(breaker_.Admit(At(10500)));
}

// Invariant (1).
TEST_F(RedisBreakerTest, EndsAShortWaitButNotALongOneOnAConnection) {
  Open(At(0));
  EXPECT_FALSE(breaker_.Admit(At(10)));
  breaker_.Connected(At(10));
  CloseAt(At(10));
  Open(At(20));
  breaker_.Connected(At(30));
  EXPECT_FALSE(breaker_.Admit(At(5000)));
  ASSERT_TRUE(breaker_.Admit(At(5500)));
  MissDeadline(At(5500));
  breaker_.Connected(At(5501));
  EXPECT_TRUE(breaker_.Admit(At(5501)));
}

TEST_F(RedisBreakerTest, StartsOverForAnotherServer) {
  Open(At(0));
  CloseAt(At(100));
  Open(At(200));
  breaker_.Renew();
  EXPECT_EQ(breaker_.state(), State::kClosed);
  EXPECT_FALSE(Refuse(At(300)));
  Open(At(300));
  EXPECT_TRUE(breaker_.Admit(At(400)));
}

// Returns when it opened within 100 s of 2,000 commands per second, some of them late; the share of
// late ones changes from time to time.
std::vector<Time> OpeningsOf(RedisBreaker& breaker, testing::Random& random) {
  RedisJitter jitter{random.Bits()};
  std::vector<Time> openings;
  int late_percent = 60;
  for (std::int64_t micros = 0; micros < 100'000'000; micros += 500) {
    const Time now{std::chrono::microseconds{micros}};
    if (random.OneIn(4000)) late_percent = random.Pick({0, 5, 60, 100});
    if (!breaker.Admit(now)) continue;
    if (random.Between(1, 100) > late_percent) {
      breaker.Succeed(now);
    } else if (breaker.Fail(Failure::kLate, now, jitter)) {
      openings.push_back(now);
    }
  }
  return openings;
}

// Invariant (4).
TEST(RedisBreakerFlapTest, NeverFlaps) {
  testing::ForEachSeed(20, [](testing::Random& random) {
    RedisBreaker breaker({});
    const std::vector<Time> openings = OpeningsOf(breaker, random);
    EXPECT_GT(openings.size(), 2U);
    for (std::size_t i = 0; i < openings.size(); ++i) {
      for (std::size_t j = i; j < openings.size(); ++j) {
        const auto steady =
            static_cast<std::size_t>((openings[j] - openings[i]) / milliseconds{5000});
        EXPECT_LE(j - i + 1, 2 + steady);
      }
    }
  });
}

}  // namespace
}  // namespace sluice
