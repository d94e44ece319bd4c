// RedisRemote: outcomes of calls whose commands fail, are late, or find a different time in Redis.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/text.h"
#include "remote/script/redis_scripts.h"
#include "unit/remote/script/redis_remote_fixture.h"

namespace sluice {
namespace {

using testing::kDropped;
using testing::kLost;
using testing::kUnsent;
using Outcome = RemoteOutcome;
using std::chrono::milliseconds;

class RedisRemoteOutcomeTest : public testing::RedisRemoteFixture {};

TEST_F(RedisRemoteOutcomeTest, DoesNotAnswerARejectedCall) {
  client_.refuses_from = 0;
  EXPECT_FALSE(Begin(1));
  EXPECT_FALSE(Begin(2));
  EXPECT_FALSE(Begin(2, Operation::kPeek));
  EXPECT_TRUE(outcomes_.empty());
  // The call may be reused.
  client_.refuses_from = -1;
  ASSERT_TRUE(Begin(1));
  client_.Reply(Ahead());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
}

TEST_F(RedisRemoteOutcomeTest, ReportsErrorsBeforeAnyEffectAsNotApplied) {
  for (const std::string error :
       {"OOM command not allowed", "READONLY You can't write", "BUSY Redis is busy",
        "NOPERM this user has no permissions", "LOADING Redis is loading", "CLUSTERDOWN no",
        "NOSCRIPT No matching script", "MOVED 1 127.0.0.1:1", "TRYAGAIN Multiple keys",
        "MISCONF Errors writing", "NOREPLICAS Not enough", "MASTERDOWN Link", "NOAUTH"}) {
    ASSERT_TRUE(Begin(1));
    client_.Reply("-" + error + "\r\n");
    EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied}) << error;
    outcomes_.clear();
  }
  ASSERT_TRUE(Begin(1));
  client_.Answer(kUnsent);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
}

TEST_F(RedisRemoteOutcomeTest, ReportsPossibleEffectsAsIndeterminate) {
  for (const std::string reply :
       {"-ERR something else\r\n", "+OK\r\n", "*4\r\n:1\r\n:1\r\n:0\r\n:7\r\n",
        "*4\r\n:1\r\n:1700000000\r\n:0\r\n$3\r\na b\r\n"}) {
    ASSERT_TRUE(Begin(1));
    client_.Reply(reply);
    EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate}) << reply;
    outcomes_.clear();
  }
  // The script's decision contradicts the state that it returned.
  ASSERT_TRUE(Begin(1));
  client_.Reply(Answer(1, 2));
  ASSERT_TRUE(outcomes_ == std::vector{Outcome::kIndeterminate});
  outcomes_.clear();
  ASSERT_TRUE(Begin(1));
  client_.Answer(kLost);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kIndeterminate});
  EXPECT_TRUE(client_.sent.empty());
}

TEST_F(RedisRemoteOutcomeTest, ReportsAFailedPeekAsNotApplied) {
  ASSERT_TRUE(Begin(1, Operation::kPeek));
  client_.Answer(kLost);
  call_.charge_mode = ChargeMode::kNone;
  ASSERT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
  outcomes_.clear();
  ASSERT_TRUE(Begin(2));
  EXPECT_EQ(client_.sent.size(), 2U);
  client_.Answer(kLost);
  client_.Answer(kLost);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
}

TEST_F(RedisRemoteOutcomeTest, KeepsOtherDecisionsWhenOnePeekFails) {
  call_.charge_mode = ChargeMode::kNone;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Answer(kLost);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
}

TEST_F(RedisRemoteOutcomeTest, SendsIndependentItemsTogether) {
  ASSERT_TRUE(Begin(3, Operation::kRefund));
  EXPECT_EQ(client_.sent.size(), 3U);
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 1));
  EXPECT_TRUE(outcomes_.empty());
  client_.Reply(Ahead());
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(call_.decisions[0].remaining, 1);
  EXPECT_EQ(call_.decisions[1].remaining, 2);
  EXPECT_EQ(call_.decided_at, kNow);
}

TEST_F(RedisRemoteOutcomeTest, KeepsTheOtherItemsWhenOneFails) {
  for (const Operation operation : {Operation::kRefund, Operation::kDebt, Operation::kReset}) {
    client_.refuses_from = client_.taken + 1;
    outcomes_.clear();
    ASSERT_TRUE(Begin(2, operation));
    client_.Reply(Answer(1, 1));
    EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
    EXPECT_EQ(call_.outcomes, (std::vector{Outcome::kDecided, Outcome::kNotApplied}));
  }
  client_.refuses_from = client_.taken + 1;
  outcomes_.clear();
  ASSERT_TRUE(Begin(2, Operation::kDebt));
  client_.Answer(kUnsent);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
}

// Items in other slots are sent even if one slot cannot be reached, and their results count.
TEST_F(RedisRemoteOutcomeTest, DecidesEachSlotIndependently) {
  for (const Operation operation : {Operation::kPeek, Operation::kRefund, Operation::kReset}) {
    for (std::size_t away = 0; away < 3; ++away) {
      client_.refused_slot = SlotFor(items_[away]);
      ASSERT_TRUE(Begin(3, operation));
      EXPECT_EQ(client_.sent.size(), 2U);
      client_.Reply(Ahead());
      client_.Reply(Ahead());
      EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
      ASSERT_EQ(call_.outcomes.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(call_.outcomes[i], i == away ? Outcome::kNotApplied : Outcome::kDecided);
        EXPECT_EQ(call_.decisions[i].remaining, i == away ? 0 : 2);
      }
      outcomes_.clear();
    }
  }
  client_.refused_slot = -1;
  ASSERT_TRUE(Begin(3, Operation::kPeek));
  for (int i = 0; i < 3; ++i) client_.Reply(Ahead());
  EXPECT_TRUE(call_.outcomes.empty()) << "all of them were decided";
}

TEST_F(RedisRemoteOutcomeTest, ReportsALostReplyForItsItemOnly) {
  ASSERT_TRUE(Begin(3, Operation::kRefund));
  client_.Answer(kLost);
  client_.Reply(Ahead());
  client_.Answer(kUnsent);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(call_.outcomes,
            (std::vector{Outcome::kIndeterminate, Outcome::kDecided, Outcome::kNotApplied}));
}

// A request that takes nothing only reads. Items without a reply have no numbers.
TEST_F(RedisRemoteOutcomeTest, ReadsEverySlotForARequestThatTakesNothing) {
  call_.charge_mode = ChargeMode::kNone;
  for (std::size_t away = 0; away < 3; ++away) {
    client_.refused_slot = SlotFor(items_[away]);
    ASSERT_TRUE(Begin(3));
    client_.Reply(Ahead());
    client_.Reply(Ahead());
    EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(call_.decisions[i].remaining, i == away ? kNoUnits : 2);
      EXPECT_EQ(call_.decisions[i].source == Source::kFallback, i == away);
    }
    outcomes_.clear();
  }
  client_.refused_slot = -1;
  ASSERT_TRUE(Begin(2));
  client_.Answer(kLost);
  client_.Answer(kUnsent);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied}) << "nobody has answered";
}

TEST_F(RedisRemoteOutcomeTest, RefusesEvenIfTheOtherSlotsFail) {
  for (const bool is_sent : {true, false}) {
    outcomes_.clear();
    ASSERT_TRUE(Begin(2));
    client_.refuses_from = is_sent ? -1 : 0;
    client_.Reply(Refused());
    client_.refuses_from = -1;
    if (is_sent) client_.Answer(kLost);
    EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
    EXPECT_FALSE(call_.decisions[0].allowed);
    EXPECT_TRUE(call_.decisions[1].allowed);
    EXPECT_EQ(call_.decisions[1].remaining, kNoUnits);
    EXPECT_EQ(call_.decisions[1].source, Source::kFallback);
  }
}

TEST_F(RedisRemoteOutcomeTest, ReportsTheEarliestTimeOfDecision) {
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  std::string later = Ahead();
  later.replace(later.find(":1700000000"), 11, ":1700000001");
  client_.Reply(later);
  ASSERT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(call_.decided_at, kNow);
}

TEST_F(RedisRemoteOutcomeTest, RefusesOnlyIfAllQuotasRefuse) {
  for (RemoteItem& item : items_) item.enforcement = Enforcement::kQuota;
  // The first quota alone refuses: the second decides, and the third cannot refuse any more.
  ASSERT_TRUE(Begin(3));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 0));
  client_.Reply(Answer(1, 2));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_FALSE(call_.decisions[0].allowed);
  EXPECT_TRUE(call_.decisions[1].allowed);
  EXPECT_TRUE(client_.sent.empty());
  // All of them refuse.
  outcomes_.clear();
  ASSERT_TRUE(Begin(3));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(0, 2));
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 0U);
}

TEST_F(RedisRemoteOutcomeTest, NotifiesOnceOfADeadlineAndStillDecides) {
  ASSERT_TRUE(Begin(3));
  EXPECT_EQ(client_.sent[0].command->deadline, call_.deadline);
  client_.Overdue();
  clock_.Set(kNow + milliseconds{6});
  EXPECT_EQ(overdue_, 1);
  client_.Reply(Ahead(), true);
  ASSERT_EQ(client_.sent.size(), 1U);
  EXPECT_EQ(client_.sent[0].command->deadline, kNow + milliseconds{6} + SlotCommand::kPatience);
  client_.Overdue();
  client_.Reply(Refused(), true);
  client_.Reply(Answer(1, 1));
  client_.Reply(Ahead());
  EXPECT_EQ(overdue_, 1);
  EXPECT_EQ(outcomes_, std::vector{Outcome::kDecided});
}

TEST_F(RedisRemoteOutcomeTest, TriesEightTimesWhenTheTimeDiffers) {
  ASSERT_TRUE(Begin(1));
  for (int i = 1; i <= 8; ++i) {
    EXPECT_EQ(client_.taken, i);
    EXPECT_TRUE(outcomes_.empty());
    client_.Reply("*4\r\n:3\r\n:1800000000\r\n:0\r\n$0\r\n\r\n");
  }
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
  EXPECT_EQ(client_.taken, 8);
}

TEST_F(RedisRemoteOutcomeTest, ConvertsAndTriesEightTimesWhenTheTermsDiffer) {
  const auto other = MustBind(PerHour(1, Algorithm::kFixedWindow));
  const std::string state =
      Concat(static_cast<const RedisTerms&>(*other).remote_limit().tag(), " 1700002800000000 1");
  const std::string reply =
      Concat("*4\r\n:2\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state, "\r\n");
  ASSERT_TRUE(Begin(1));
  for (int i = 1; i < 8; ++i) {
    client_.Reply(reply);
    EXPECT_EQ(client_.sent[0].command->script, NewTermsScript().text);
    client_.Reply(":1\r\n");
    EXPECT_EQ(client_.sent[0].command->script, DecideScript().text);
  }
  client_.Reply(reply);
  client_.Reply(":1\r\n");
  EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
  // Nothing is charged, whether or not the conversion succeeds.
  for (const RedisAnswer& failure : {kLost, kUnsent}) {
    outcomes_.clear();
    ASSERT_TRUE(Begin(1));
    client_.Reply(reply);
    client_.Answer(failure);
    EXPECT_EQ(outcomes_, std::vector{Outcome::kNotApplied});
  }
}

TEST_F(RedisRemoteOutcomeTest, AllowsTheListenerToReuseTheCall) {
  struct Again final : RemoteListener {
    void OnOverdue(RemoteCall& /*call*/) override {}
    void OnAnswer(RemoteCall& call, Outcome /*outcome*/) override {
      ++answers;
      if (answers == 3) return;
      EXPECT_TRUE(remote->Decide(call, *this));
    }
    RedisRemote* remote = nullptr;
    int answers = 0;
  } again;
  again.remote = &remote_;
  call_.items = {items_[0], items_[1]};
  ASSERT_TRUE(remote_.Decide(call_, again));
  for (int i = 0; i < 6; ++i) client_.Reply(Ahead());
  EXPECT_EQ(again.answers, 3);
}

}  // namespace
}  // namespace sluice
