#include "remote/redis_breaker.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using State = RedisBreaker::State;
using std::chrono::milliseconds;

constexpr Time At(int millis) { return Time{milliseconds{millis}}; }

class RedisBreakerTest : public ::testing::Test {
 protected:
  // Fails so often that it opens.
  void Open(Time now) {
    while (breaker_.state() != State::kOpen) breaker_.Fail(now, jitter_);
  }

  // Rests of exactly 100, 200, 400 and 400 ms can be told apart from others by their bounds.
  RedisBreaker breaker_{
      {.failures_most = 3,
       .rest = {
           .least = milliseconds{100}, .first = milliseconds{100}, .most = milliseconds{400}}}};
  RedisJitter jitter_{1};
};

TEST_F(RedisBreakerTest, FailuresInARowOpenIt) {
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
  breaker_.Succeed();
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
  EXPECT_TRUE(breaker_.Admit(At(0)));
  EXPECT_TRUE(breaker_.Fail(At(0), jitter_));
  EXPECT_EQ(breaker_.state(), State::kOpen);
  // Those that were under way then say nothing new.
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
}

// Invariant (1).
TEST_F(RedisBreakerTest, WhileItIsOpenNothingPasses) {
  Open(At(0));
  EXPECT_FALSE(breaker_.Admit(At(0)));
  EXPECT_FALSE(breaker_.Admit(At(99)));
  EXPECT_TRUE(breaker_.Admit(At(100)));
}

// Invariant (2).
TEST_F(RedisBreakerTest, OneProbeAtATime) {
  Open(At(0));
  EXPECT_TRUE(breaker_.Admit(At(100)));
  EXPECT_EQ(breaker_.state(), State::kProbing);
  EXPECT_FALSE(breaker_.Admit(At(1000)));
  breaker_.Withdraw();
  EXPECT_TRUE(breaker_.Admit(At(1000)));
  breaker_.Succeed();
  EXPECT_TRUE(breaker_.Admit(At(1000)));
  EXPECT_TRUE(breaker_.Admit(At(1000)));
}

TEST_F(RedisBreakerTest, AProbeThatFailsOpensItForLonger) {
  Open(At(0));
  ASSERT_TRUE(breaker_.Admit(At(100)));
  EXPECT_TRUE(breaker_.Fail(At(100), jitter_));
  EXPECT_FALSE(breaker_.Admit(At(199)));
  EXPECT_TRUE(breaker_.Admit(At(300)));
}

// Invariant (3).
TEST_F(RedisBreakerTest, ASuccessClosesIt) {
  Open(At(0));
  breaker_.Succeed();
  EXPECT_TRUE(breaker_.Admit(At(0)));
  EXPECT_FALSE(breaker_.Fail(At(0), jitter_));
}

TEST(RedisPacingTest, WaitsDoubleUpToABoundAndAreAnyLengthUpToIt) {
  const RedisPacing::Settings settings{
      .least = milliseconds{1}, .first = milliseconds{10}, .most = milliseconds{25}};
  Nanos shortest = std::chrono::hours{1};
  Nanos longest{0};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RedisJitter jitter(seed);
    RedisPacing pacing(settings);
    EXPECT_LE(pacing.Next(jitter), milliseconds{10});
    EXPECT_LE(pacing.Next(jitter), milliseconds{20});
    pacing.Next(jitter);
    const Nanos last = pacing.Next(jitter);
    shortest = std::min(shortest, last);
    longest = std::max(longest, last);
    pacing.Reset();
    EXPECT_LE(pacing.Next(jitter), milliseconds{10});
  }
  EXPECT_GE(shortest, milliseconds{1});
  EXPECT_LT(shortest, milliseconds{2});
  EXPECT_GT(longest, milliseconds{24});
  EXPECT_LE(longest, milliseconds{25});
}

}  // namespace
}  // namespace sluice
