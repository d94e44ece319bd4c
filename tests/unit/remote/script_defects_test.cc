// Defects that other limiters in Redis have had, each a test that ours has not.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "unit/remote/redis_bench.h"

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

// An interval far below a millisecond: the key must live until the bucket is full.
TEST_F(ScriptDefects, IntervalsBelowAMillisecondAreLimited) {
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

// A burst far below the rate made a time to live of 0 seconds elsewhere, and no limit at all.
TEST_F(ScriptDefects, ABurstFarBelowTheRateIsKept) {
  LimitSpec spec = Of(Algorithm::kTokenBucket, {1000, seconds{1}});
  spec.burst = 10;
  const RemoteLimit limit = Keep(spec);
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{10}}).allowed);
  EXPECT_EQ(MillisLeft("k"), 10);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// T is 142857142.857... ns: elsewhere rounding made it faster, or refused the first of all.
TEST_F(ScriptDefects, AThirdOfATickIsNeverLost) {
  LimitSpec spec = Of(Algorithm::kTokenBucket, {7, seconds{1}});
  spec.burst = 1;
  const RemoteLimit limit = Keep(spec);
  int passed = 0;
  for (int i = 0; i < 5'000; ++i) {
    At(microseconds{i * 2000});
    passed += Do(Operation::kCheck, {"k", &limit}).allowed ? 1 : 0;
  }
  // At once, and then at the first two milliseconds at or after each seventh of a second.
  EXPECT_EQ(passed, 70);
}

TEST_F(ScriptDefects, AnIdleKeyHasOneBurstAndNoMore) {
  const RemoteLimit limit = Keep(Of(Algorithm::kTokenBucket, {10, seconds{10}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{10}}).allowed);
  At(milliseconds{17'900});
  int passed = 0;
  for (int i = 0; i < 20; ++i) passed += Do(Operation::kCheck, {"k", &limit}).allowed ? 1 : 0;
  EXPECT_EQ(passed, 10);
}

TEST_F(ScriptDefects, ACostAboveTheLimitIsNeverAndTellsWhatIsLeft) {
  const RemoteLimit limit = Keep(Of(Algorithm::kTokenBucket, {5, seconds{5}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{3}}).allowed);
  const Decision refused = Do(Operation::kCheck, {"k", &limit, Cost{6}});
  EXPECT_EQ(refused.retry_after, kNever);
  EXPECT_EQ(refused.remaining, 2);
  EXPECT_EQ(refused.reset_after, seconds{3});
  EXPECT_TRUE(Do(Operation::kCheck, {"other", &limit, Cost{5}}).allowed);
}

// A cost above what is left was refused, and taken all the same.
TEST_F(ScriptDefects, ARefusedCostTakesNothing) {
  for (const Algorithm algorithm : {Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                    Algorithm::kSlidingWindow, Algorithm::kSlidingLog}) {
    const RemoteLimit limit = Keep(Of(algorithm, {10, seconds{10}}));
    client_->Command({"FLUSHALL"});
    EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit, Cost{5}}).allowed);
    EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit, Cost{6}}).allowed);
    EXPECT_EQ(Do(Operation::kPeek, {"k", &limit}).remaining, 5);
  }
}

// Several limits, the last of which refuses: nothing is charged in the others.
TEST_F(ScriptDefects, AllOrNone) {
  const RemoteLimit wide = Keep(Of(Algorithm::kTokenBucket, {10, seconds{10}}));
  const RemoteLimit narrow = Keep(Of(Algorithm::kSlidingLog, {1, seconds{10}}));
  const std::vector<RemoteCharge> charges = {{"wide", &wide}, {"narrow", &narrow}};
  EXPECT_EQ(Decide(ScriptCall(RemoteRequest{charges})).remaining, 9);
  EXPECT_EQ(Decide(ScriptCall(RemoteRequest{charges})).remaining, 9);
}

TEST_F(ScriptDefects, ASlidingWindowOfOneLetsOnePass) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingWindow, {1, seconds{1}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(seconds{2});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// Counts and periods whose product is far beyond 2^53.
TEST_F(ScriptDefects, ProductsBeyondADoubleAreExact) {
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
TEST_F(ScriptDefects, ALogCountsWhatComesInTheSameMicrosecond) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingLog, {3, milliseconds{10}}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// Entries that are past must be gone before they are counted, to the microsecond.
TEST_F(ScriptDefects, ALogEntryIsPastExactlyAPeriodLater) {
  const RemoteLimit limit = Keep(Of(Algorithm::kSlidingLog, {2, milliseconds{10}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(milliseconds{1});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(microseconds{9'999});
  EXPECT_FALSE(Do(Operation::kCheck, {"k", &limit}).allowed);
  At(milliseconds{10});
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &limit}).allowed);
}

// Totals of a log start again at 2^51; a million units are one entry.
TEST_F(ScriptDefects, ALogThatIsNeverIdleCountsOn) {
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

// A log that new terms would take over, and is forgotten instead.
TEST_F(ScriptDefects, ALogOfOtherTermsIsForgottenByAReset) {
  const RemoteLimit before = Keep(Of(Algorithm::kSlidingLog, {3, seconds{10}}));
  const RemoteLimit after = Keep(Of(Algorithm::kSlidingLog, {2, seconds{20}}));
  EXPECT_TRUE(Do(Operation::kCheck, {"k", &before, Cost{3}}).allowed);
  EXPECT_EQ(Do(Operation::kReset, {"k", &after}).remaining, 2);
  EXPECT_EQ(client_->Number({"EXISTS", "k"}), 0);
}

TEST_F(ScriptDefects, NoKeyIsEverWithoutATimeToLive) {
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

LimitSpec Permits(std::int64_t most) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = most;
  spec.ttl = seconds{1};
  return spec;
}

// A release twice, or after the deadline, must not free what another holds.
TEST_F(ScriptDefects, APermitReleasedTwiceFreesNobodyElses) {
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

// A collection that is emptied loses its time to live; the next one must have one again.
TEST_F(ScriptDefects, PermitsThatWereAllReleasedExpireAgain) {
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
