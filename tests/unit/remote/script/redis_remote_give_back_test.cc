// RedisRemote: refunds charges of a call that is refused or fails.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "unit/remote/script/redis_remote_fixture.h"

namespace sluice {
namespace {

using testing::kDropped;
using testing::kLost;
using testing::kUnsent;
using Outcome = RemoteOutcome;
using std::chrono::milliseconds;

class RedisRemoteGiveBack : public testing::RedisRemoteFixture {};

TEST_F(RedisRemoteGiveBack, RefundsChargesAndReadsTheRestAfterARefusal) {
  ASSERT_TRUE(Begin(3));
  EXPECT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[0])});
  client_.Reply(Ahead());
  EXPECT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[1])});
  client_.Reply(Refused());
  ASSERT_EQ(SlotsUnderWay(), (std::vector{SlotFor(items_[0]), SlotFor(items_[2])}));
  EXPECT_TRUE(IsGiveBack(0));
  // The refund names the end of the window.
  EXPECT_NE(client_.sent[0].bytes.find("\r\n1700002800000000\r\n"), std::string::npos);
  EXPECT_FALSE(IsGiveBack(1));
  client_.Reply(Answer(1, 1));
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 1U);
  EXPECT_TRUE(call_.decisions[0].allowed);
  EXPECT_EQ(call_.decisions[0].remaining, 2);
  EXPECT_EQ(call_.decisions[0].reset_after, Nanos{0});
  EXPECT_FALSE(call_.decisions[1].allowed);
  EXPECT_TRUE(call_.decisions[2].allowed);
  EXPECT_EQ(call_.decisions[2].remaining, 1);
}

TEST_F(RedisRemoteGiveBack, ReportsALostDebtAfterARefusal) {
  items_[1].enforcement = Enforcement::kDebt;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Refused());
  client_.Answer(kLost);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
}

TEST_F(RedisRemoteGiveBack, RefundsChargesAfterAFailure) {
  ASSERT_TRUE(Begin(3));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  ASSERT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[0])});
  EXPECT_TRUE(IsGiveBack(0));
  EXPECT_TRUE(outcomes_.empty());
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
  // A lost command leads to the same refunds, but its own effect is unknown.
  outcomes_.clear();
  ASSERT_TRUE(Begin(3));
  client_.Reply(Ahead());
  client_.Answer(kLost);
  EXPECT_TRUE(IsGiveBack(0));
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 2U);
}

TEST_F(RedisRemoteGiveBack, SendsRefundsPastTheBreaker) {
  ASSERT_TRUE(Begin(2));
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Ahead());
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Refused());
  ASSERT_TRUE(IsGiveBack(0));
  EXPECT_TRUE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
  // A refund that the caller requests passes it, too.
  outcomes_.clear();
  call_.undoes = true;
  ASSERT_TRUE(Begin(1, Operation::kRefund));
  EXPECT_TRUE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
  call_.undoes = false;
  outcomes_.clear();
  ASSERT_TRUE(Begin(1, Operation::kRefund));
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
}

TEST_F(RedisRemoteGiveBack, CountsAFailedRefundWithoutRepeatingIt) {
  for (const RedisAnswer& failure : {kLost, kUnsent}) {
    outcomes_.clear();
    ASSERT_TRUE(Begin(2));
    client_.Reply(Ahead());
    client_.Reply(Refused());
    client_.Answer(failure);
    // The request is refused nevertheless, and reports what is still charged.
    EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
    EXPECT_EQ(call_.decisions[0].remaining, 1);
    EXPECT_TRUE(client_.sent.empty());
  }
  // The refund is not even accepted.
  outcomes_.clear();
  client_.refuses_from = client_.taken + 2;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply(Refused());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(remote_.counts().not_given_back.ReadApprox(), 3U);
  // If the call failed, the remaining charge makes its outcome indeterminate.
  outcomes_.clear();
  client_.refuses_from = client_.taken + 1;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
  EXPECT_EQ(remote_.counts().not_given_back.ReadApprox(), 4U);
}

TEST_F(RedisRemoteGiveBack, ReportsAFailureAfterADebtAsIndeterminate) {
  items_[0].enforcement = Enforcement::kDebt;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
}

TEST_F(RedisRemoteGiveBack, ReportsAFailureAfterNonRefundableChargesAsIndeterminate) {
  const auto pacer = MustBind(PerHour(3600, Algorithm::kPacer));
  items_[0].terms = items_[1].terms = pacer;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
  outcomes_.clear();
  LimitSpec spec = PerHour(2, Algorithm::kFixedWindow);
  spec.count_refused = true;
  items_[0].terms = MustBind(spec);
  items_[0].enforcement = Enforcement::kShadow;
  items_[1].terms = terms_;
  ASSERT_TRUE(Begin(2));
  const std::string tag = static_cast<const RedisTerms&>(*items_[0].terms).remote_limit().tag();
  const std::string state = tag + " 1700002800000000 2";
  client_.Reply(Concat("*4\r\n:1\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state, "\r\n"));
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
}

TEST_F(RedisRemoteGiveBack, RefundsEvenAfterTheDeadline) {
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply(Refused());
  EXPECT_EQ(client_.sent[0].command->deadline, call_.deadline);
  clock_.Set(kNow + milliseconds{5});
  client_.Answer(kDropped);
  EXPECT_EQ(overdue_, 1);
  ASSERT_EQ(client_.sent.size(), 1U);
  EXPECT_TRUE(IsGiveBack(0));
  EXPECT_GT(client_.sent[0].command->deadline, call_.deadline);
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  // A charge that was dropped at the deadline is not applied.
  outcomes_.clear();
  clock_.Set(kNow);
  ASSERT_TRUE(Begin(1));
  client_.Answer(kDropped);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
}

}  // namespace
}  // namespace sluice
