// Checks that our scripts do not have known defects of other rate limiters on Redis.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "unit/remote/script/redis_bench.h"

namespace sluice::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ScriptDefects : public RedisBench {};

LimitSpec Of(Algorithm algorithm, Rate rate) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = rate;
  return spec;
}

// With an interval far below a millisecond, the key must live until the bucket is full.
TEST_F(ScriptDefects, LimitsWithIntervalsBelowAMillisecond) {
  LimitSpec spec = Of(Algorithm::kTokenBucket, {100'000, seconds{1}});
  spec.burst = 1;
  const RemoteLimit limit = Keep(spec);
  At(microseconds{999'999});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  EXPECT_EQ(MillisLeft("k"), 2);
  const Decision refused = Do(Operation::kCheck, {"k", &limit});
  EXPECT_FALSE(refused.allowed);
  EXPECT_EQ(refused.retry_after, microseconds{10});
  At(microseconds{1'000'008});
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(microseconds{1'000'009});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// In other limiters, a burst far below the rate led to a time to live of 0 seconds, and so to no
// limit.
TEST_F(ScriptDefects, KeepsAKeyWithABurstFarBelowTheRate) {
  LimitSpec spec = Of(Algorithm::kTokenBucket, {1000, seconds{1}});
  spec.burst = 10;
  const RemoteLimit limit = Keep(spec);
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{10}}).allowed);
  EXPECT_EQ(MillisLeft("k"), 10);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// T is 142857142.857... ns. In other limiters, rounding made the rate faster, or refused the first
// request.
TEST_F(ScriptDefects, KeepsFractionsOfATick) {
  LimitSpec spec = Of(Algorithm::kTokenBucket, {7, seconds{1}});
  spec.burst = 1;
  const RemoteLimit limit = Keep(spec);
  int passed = 0;
  for (int i = 0; i < 5'000; ++i) {
    At(microseconds{i * 2000});
    passed += Do(Operation::kCheck, {"k", &limit}).allowed ? 1 : 0;
  }
  // The first request passes at once, then one per seventh of a second, rounded up to 2 ms.
  EXPECT_EQ(passed, 70);
}

TEST_F(ScriptDefects, GivesAnIdleKeyOneBurst) {
  const RemoteLimit limit = Keep(Of(Algorithm::kTokenBucket, {10, seconds{10}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{10}}).allowed);
  At(milliseconds{17'900});
  int passed = 0;
  for (int i = 0; i < 20; ++i) passed += Do(Operation::kCheck, {"k", &limit}).allowed ? 1 : 0;
  EXPECT_EQ(passed, 10);
}

TEST_F(ScriptDefects, RefusesACostAboveTheLimitForeverAndReportsWhatIsLeft) {
  const RemoteLimit limit = Keep(Of(Algorithm::kTokenBucket, {5, seconds{5}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{3}}).allowed);
  const Decision refused = Do(Operation::kCheck, {"k", &limit, Cost{6}});
  EXPECT_EQ(refused.retry_after, kNever);
  EXPECT_EQ(refused.remaining, 2);
  EXPECT_EQ(refused.reset_after, seconds{3});
  EXPECT_TRUE(Do(Operation::kCheck, {"other", &limit, Cost{5}}).allowed);
}

// In other limiters, a cost above what was left was refused but still taken.
TEST_F(ScriptDefects, TakesNothingOnARefusal) {
  for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                    Algorithm::kSlidingWindow, Algorithm::kSlidingLog}) {
    const RemoteLimit limit = Keep(Of(algorithm, {10, seconds{10}}));
    client_->Command({"FLUSHALL"});
    EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{5}}).allowed);
    EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit, Cost{6}}).allowed);
    EXPECT_EQ(Do(Operation::kPeek, {"k", &limit}).remaining, 5);
  }
}

// If the last of several limits refuses, nothing is charged to the others.
TEST_F(ScriptDefects, ChargesAllOrNone) {
  const RemoteLimit wide = Keep(Of(Algorithm::kTokenBucket, {10, seconds{10}}));
  const RemoteLimit narrow = Keep(Of(Algorithm::kSlidingLog, {1, seconds{10}}));
  const std::vector<RemoteCharge> charges = {{"wide", &wide}, {"narrow", &narrow}};
  EXPECT_EQ(Decide(ScriptCall(RemoteRequest{charges})).remaining, 9);
  EXPECT_EQ(Decide(ScriptCall(RemoteRequest{charges})).remaining, 9);
}

TEST_F(ScriptDefects, AdmitsOneInASlidingWindowOfOne) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingWindow, {1, seconds{1}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(seconds{2});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// Counts and periods whose product is far above 2^53.
TEST_F(ScriptDefects, ComputesExactlyBeyondTheRangeOfADouble) {
  const std::int64_t count = (std::int64_t{1} << 52U) - 3;
  const Nanos period = std::chrono::hours{24 * 365 * 40};
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingWindow, {count, period}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{count}}).allowed);
  const Decision full = Do(Operation::kCheck, {"k", &limit});
  EXPECT_FALSE(full.allowed);
  At(full.retry_after + microseconds{1});
  const Decision later = Do(Operation::kPeek, {"k", &limit});
  ASSERT_GT(later.remaining, 0);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit, Cost{later.remaining + 1}}).allowed);
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{later.remaining}}).allowed);
}

// Entries of the same microsecond must not overwrite each other.
TEST_F(ScriptDefects, CountsLogEntriesOfTheSameMicrosecond) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingLog, {3, milliseconds{10}}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// Expired entries must be dropped before counting, exact to the microsecond.
TEST_F(ScriptDefects, ExpiresALogEntryExactlyAPeriodLater) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingLog, {2, milliseconds{10}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(milliseconds{1});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(microseconds{9'999});
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(milliseconds{10});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// The totals of a log wrap around at 2^51. All units of one time are one entry.
TEST_F(ScriptDefects, CountsOnWhenTotalsOfALogWrapAround) {
  const std::int64_t count = std::int64_t{1} << 50U;
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingLog, {count, milliseconds{10}}));
  for (int i = 0; i < 20; ++i) {
    At(milliseconds{5 * i});
    const Decision passed = Do(Operation::kCheck, {"k", &limit, Cost{count / 2}});
    EXPECT_TRUE(passed.allowed);
    EXPECT_EQ(passed.remaining, i == 0 ? count - count / 2 : 0) << i;
    EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit, Cost{count}}).allowed);
  }
}

// The reset of a log that has other terms deletes it instead of converting it.
TEST_F(ScriptDefects, ResetsALogOfOtherTerms) {
  const RemoteLimit before = Keep(Of(Algorithm::kSlidingLog, {3, seconds{10}}));
  const RemoteLimit after = Keep(Of(Algorithm::kSlidingLog, {2, seconds{20}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &before, Cost{3}}).allowed);
  EXPECT_EQ(Do(Operation::kReset, {"k", &after}).remaining, 2);
  EXPECT_EQ(client_->Number({"EXISTS", "k"}), 0);
}

TEST_F(ScriptDefects, SetsATimeToLiveOnEveryKey) {
  std::vector<LimitSpec> specs;
  for (const Algorithm algorithm :
       {Algorithm::kTokenBucket, Algorithm::kLeakyBucket, Algorithm::kFixedWindow,
        Algorithm::kSlidingLog, Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets,
        Algorithm::kPacer}) {
    specs.push_back(Of(algorithm, {4, seconds{1}}));
    if (algorithm == Algorithm::kSlidingBuckets) specs.back().buckets = 4;
  }
  for (const LimitSpec& spec : specs) {
    const RemoteLimit limit = Keep(spec);
    client_->Command({"FLUSHALL"});
    for (int i = 0; i < 40; ++i) {
      At(milliseconds{i * 90});
      const auto operation = i % 5 == 4 ? Operation::kRefund : Operation::kCheck;
      Do(operation, {"k", &limit, Cost{i % 3 + 1}});
      EXPECT_NE(MillisLeft("k"), -1) << ToText(spec);
    }
    At(seconds{60});
    EXPECT_EQ(client_->Number({"EXISTS", "k"}), 0) << ToText(spec);
  }
}

LimitSpec Permits(std::int64_t max) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = max;
  spec.ttl = seconds{1};
  return spec;
}

// A second release, or one after the deadline, must not free a permit of another holder.
TEST_F(ScriptDefects, FreesNothingOnASecondRelease) {
  const RemoteLimit limit = Keep(Permits(2));
  const RemoteCharge charge{"k", &limit};
  EXPECT_TRUE(Permit(Operation::kAcquire, charge, PermitId{1}).allowed);
  EXPECT_TRUE(Permit(Operation::kAcquire, charge, PermitId{2}).allowed);
  EXPECT_EQ(Permit(Operation::kRelease, charge, PermitId{1}).remaining, 1);
  EXPECT_EQ(Permit(Operation::kRelease, charge, PermitId{1}).remaining, 1);
  At(seconds{1});
  EXPECT_TRUE(Permit(Operation::kAcquire, charge, PermitId{3}).allowed);
  EXPECT_EQ(Permit(Operation::kRelease, charge, PermitId{2}).remaining, 1);
  EXPECT_FALSE(Permit(Operation::kRenew, charge, PermitId{2}).allowed);
}

// An emptied sorted set loses its time to live; the next one must get one again.
TEST_F(ScriptDefects, SetsATimeToLiveAgainAfterAllPermitsWereReleased) {
  const RemoteLimit limit = Keep(Permits(5));
  const RemoteCharge charge{"k", &limit, Cost{2}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Permit(Operation::kAcquire, charge, PermitId{7}).allowed);
    EXPECT_EQ(MillisLeft("k"), 1000);
    EXPECT_EQ(Permit(Operation::kRelease, charge, PermitId{7}).remaining, 5);
    EXPECT_EQ(MillisLeft("k"), -2);
  }
}

}  // namespace
}  // namespace sluice::testing
