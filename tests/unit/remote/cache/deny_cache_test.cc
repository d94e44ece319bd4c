#include "remote/cache/deny_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::TermsOf;
using Answer = NodeCache::Answer;

class DenyCacheTest : public ::testing::Test {
 protected:
  RemoteItem ItemOf(std::int64_t cost) {
    RemoteItem item;
    item.terms = terms_;
    item.key = {.high = 1, .low = 2};
    item.cost = {cost};
    return item;
  }
  // Reports a call that was sent now and answered at once.
  void OnReply(Operation operation, const RemoteItem& item, const Decision& decision) {
    call_.operation = operation;
    if (call_.items.empty()) call_.items.push_back(item);
    KeyState state(item.terms->limit().terms);
    keys_.OnReply({call_, item, decision, state, now_, now_}, now_);
    call_.items.clear();
  }
  void Refuse(std::int64_t cost, Nanos retry_after) {
    Decision decision;
    decision.allowed = false;
    decision.limit = 100;
    decision.remaining = cost - 1;
    decision.retry_after = retry_after;
    decision.reset_after = seconds{30};
    OnReply(Operation::kCheck, ItemOf(cost), decision);
  }
  Answer Take(std::int64_t cost) { return keys_.Take(ItemOf(cost), now_, decision_); }

  std::shared_ptr<const RemoteTerms> terms_ = TermsOf({.rate = Rate{100, minutes{1}}});
  DenyCache keys_{1000};
  RemoteCall call_;
  Time now_{hours{1000}};
  Decision decision_;
};

// Invariants (1) and (2).
TEST_F(DenyCacheTest, RefusesTheSameCostUntilRetryAfter) {
  Refuse(3, milliseconds{600});
  now_ += milliseconds{250};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_FALSE(decision_.allowed);
  EXPECT_EQ(decision_.source, Source::kEmptyKey);
  EXPECT_EQ(decision_.limit, 100);
  EXPECT_EQ(decision_.remaining, 2);
  EXPECT_EQ(decision_.retry_after, milliseconds{350});
  EXPECT_EQ(decision_.reset_after, seconds{30} - milliseconds{250});
  now_ += milliseconds{350} - Nanos{1};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(decision_.retry_after, Nanos{1});
  now_ += Nanos{1};
  EXPECT_EQ(Take(3), Answer::kUnknown);
}

// Invariant (1).
TEST_F(DenyCacheTest, IgnoresOtherCostsAndOtherTerms) {
  Refuse(3, milliseconds{600});
  EXPECT_EQ(Take(2), Answer::kUnknown);
  EXPECT_EQ(Take(4), Answer::kUnknown);
  EXPECT_EQ(Take(0), Answer::kUnknown);
  RemoteItem item = ItemOf(3);
  item.min_remaining = {1};
  EXPECT_EQ(keys_.Take(item, now_, decision_), Answer::kUnknown);
  terms_ = TermsOf({.rate = Rate{100, minutes{1}}});
  EXPECT_EQ(Take(3), Answer::kUnknown);
}

// Invariant (1): retry_after counts from when the call was sent.
TEST_F(DenyCacheTest, DoesNotAddTheRoundTripTime) {
  Decision decision;
  decision.allowed = false;
  decision.retry_after = milliseconds{100};
  const RemoteItem item = ItemOf(1);
  call_.items = {item};
  KeyState state(item.terms->limit().terms);
  keys_.OnReply({call_, item, decision, state, now_, now_ - milliseconds{30}}, now_);
  now_ += milliseconds{69};
  ASSERT_EQ(Take(1), Answer::kDecided);
  EXPECT_EQ(decision_.retry_after, milliseconds{1});
  now_ += milliseconds{1};
  EXPECT_EQ(Take(1), Answer::kUnknown);
}

TEST_F(DenyCacheTest, IgnoresRefusalsWithoutASendTime) {
  Decision decision;
  decision.allowed = false;
  decision.retry_after = milliseconds{100};
  const RemoteItem item = ItemOf(1);
  call_.items = {item};
  KeyState state(item.terms->limit().terms);
  keys_.OnReply({call_, item, decision, state, now_}, now_);
  EXPECT_EQ(Take(1), Answer::kUnknown);
}

// Invariant (3).
TEST_F(DenyCacheTest, IgnoresRefusalsThatNeverEnd) {
  Refuse(101, kNever);
  EXPECT_EQ(Take(101), Answer::kUnknown);
  EXPECT_EQ(keys_.SizeApproxForTest(), 0U);
}

// Invariant (3).
TEST_F(DenyCacheTest, IgnoresLimitsThatAreNotPlain) {
  terms_ = TermsOf({.rate = Rate{100, minutes{1}}, .max_wait = seconds{1}});
  Refuse(3, milliseconds{600});
  EXPECT_EQ(Take(3), Answer::kUnknown);
  EXPECT_EQ(keys_.SizeApproxForTest(), 0U);
}

// Invariant (3): a refusal of both together says nothing about one.
TEST_F(DenyCacheTest, IgnoresACallWithTheKeyTwice) {
  call_.items = {ItemOf(3), ItemOf(3)};
  Refuse(3, milliseconds{600});
  EXPECT_EQ(Take(3), Answer::kUnknown);
}

// Invariant (4).
TEST_F(DenyCacheTest, EndsWithAnyLaterChangeOfTheKey) {
  for (const Operation operation :
       {Operation::kCheck, Operation::kDebt, Operation::kRefund, Operation::kReset}) {
    Refuse(3, milliseconds{600});
    ASSERT_EQ(Take(3), Answer::kDecided);
    now_ += Nanos{1000};
    OnReply(operation, ItemOf(1), Decision{});
    EXPECT_EQ(Take(3), Answer::kUnknown);
    now_ += Nanos{1000};
  }
  Refuse(3, milliseconds{600});
  keys_.Forget(ItemOf(3).key, now_);
  EXPECT_EQ(Take(3), Answer::kUnknown);
}

// Invariant (4): the refusal was in flight when the key was reset.
TEST_F(DenyCacheTest, IgnoresARefusalFromBeforeAReset) {
  keys_.Forget(ItemOf(3).key, now_);
  Refuse(3, milliseconds{600});  // sent at the same time
  EXPECT_EQ(Take(3), Answer::kUnknown);
  now_ += Nanos{1};
  Refuse(3, milliseconds{600});
  EXPECT_EQ(Take(3), Answer::kDecided);
}

// Invariant (5).
TEST_F(DenyCacheTest, EndsALongRefusalAfterASecond) {
  Refuse(3, hours{1});
  now_ += DenyCache::kTrusted - Nanos{1};
  ASSERT_EQ(Take(3), Answer::kDecided);
  EXPECT_EQ(decision_.retry_after, hours{1} - DenyCache::kTrusted + Nanos{1});
  now_ += Nanos{1};
  EXPECT_EQ(Take(3), Answer::kUnknown);
  for (int part = 0; part < 100; ++part) keys_.Sweep(now_);
  EXPECT_EQ(keys_.SizeApproxForTest(), 0U);
}

}  // namespace
}  // namespace sluice
