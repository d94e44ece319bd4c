// RedisRemote: what becomes of calls whose commands fail, come late or meet another time.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/text.h"
#include "remote/redis_script.h"
#include "unit/remote/redis_remote_scene.h"

namespace sluice {
namespace {

using testing::kDropped;
using testing::kLost;
using testing::kUnsent;
using Fate = RemoteFate;
using std::chrono::milliseconds;

class RedisRemoteFate : public testing::RedisRemoteScene {};

TEST_F(RedisRemoteFate, WhatIsNotTakenIsNotAnswered) {
  client_.refuses_from = 0;
  EXPECT_FALSE(Begin(1));
  EXPECT_FALSE(Begin(2));
  EXPECT_FALSE(Begin(2, Operation::kPeek));
  EXPECT_TRUE(fates_.empty());
  // The call may be used again.
  client_.refuses_from = -1;
  ASSERT_TRUE(Begin(1));
  client_.Reply(Ahead());
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
}

TEST_F(RedisRemoteFate, ErrorsBeforeAnyEffectAreNotDone) {
  for (const std::string error :
       {"OOM command not allowed", "READONLY You can't write", "BUSY Redis is busy",
        "NOPERM this user has no permissions", "LOADING Redis is loading", "CLUSTERDOWN no",
        "NOSCRIPT No matching script", "MOVED 1 127.0.0.1:1", "TRYAGAIN Multiple keys",
        "MISCONF Errors writing", "NOREPLICAS Not enough", "MASTERDOWN Link", "NOAUTH"}) {
    ASSERT_TRUE(Begin(1));
    client_.Reply("-" + error + "\r\n");
    EXPECT_EQ(fates_, std::vector{Fate::kNotDone}) << error;
    fates_.clear();
  }
  ASSERT_TRUE(Begin(1));
  client_.Answer(kUnsent);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
}

TEST_F(RedisRemoteFate, WhatMayHaveTakenEffectIsUnknown) {
  for (const std::string reply :
       {"-ERR something else\r\n", "+OK\r\n", "*4\r\n:1\r\n:1\r\n:0\r\n:7\r\n",
        "*4\r\n:1\r\n:1700000000\r\n:0\r\n$3\r\na b\r\n"}) {
    ASSERT_TRUE(Begin(1));
    client_.Reply(reply);
    EXPECT_EQ(fates_, std::vector{Fate::kUnknown}) << reply;
    fates_.clear();
  }
  // It decided otherwise than the state it answered says.
  ASSERT_TRUE(Begin(1));
  client_.Reply(Answer(1, 2));
  ASSERT_TRUE(fates_ == std::vector{Fate::kUnknown});
  fates_.clear();
  ASSERT_TRUE(Begin(1));
  client_.Answer(kLost);
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
  EXPECT_TRUE(client_.sent.empty());
}

TEST_F(RedisRemoteFate, ALookHasNoEffectWhateverBecomesOfIt) {
  ASSERT_TRUE(Begin(1, Operation::kPeek));
  client_.Answer(kLost);
  call_.taking = Taking::kNone;
  ASSERT_EQ(fates_, std::vector{Fate::kNotDone});
  fates_.clear();
  ASSERT_TRUE(Begin(2));
  EXPECT_EQ(client_.sent.size(), 2U);
  client_.Answer(kLost);
  client_.Answer(kLost);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
}

TEST_F(RedisRemoteFate, ASlotThatCannotTellLeavesWhatOthersSay) {
  call_.taking = Taking::kNone;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Answer(kLost);
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
}

TEST_F(RedisRemoteFate, ItemsOnTheirOwnGoTogether) {
  ASSERT_TRUE(Begin(3, Operation::kRefund));
  EXPECT_EQ(client_.sent.size(), 3U);
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 1));
  EXPECT_TRUE(fates_.empty());
  client_.Reply(Ahead());
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(call_.decisions[0].remaining, 1);
  EXPECT_EQ(call_.decisions[1].remaining, 2);
  EXPECT_EQ(call_.decided_at, kNow);
}

TEST_F(RedisRemoteFate, OneOfSeveralThatFailsLeavesTheRestInEffect) {
  for (const Operation operation : {Operation::kRefund, Operation::kDebt, Operation::kReset}) {
    client_.refuses_from = client_.taken + 1;
    fates_.clear();
    ASSERT_TRUE(Begin(2, operation));
    client_.Reply(Answer(1, 1));
    EXPECT_EQ(fates_, std::vector{Fate::kDecided});
    EXPECT_EQ(call_.fates, (std::vector{Fate::kDecided, Fate::kNotDone}));
  }
  client_.refuses_from = client_.taken + 1;
  fates_.clear();
  ASSERT_TRUE(Begin(2, Operation::kDebt));
  client_.Answer(kUnsent);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
}

// Whichever slot cannot be asked, the others are, and their results count.
TEST_F(RedisRemoteFate, SlotsOfItemsOnTheirOwnDoNotDependOnEachOther) {
  for (const Operation operation : {Operation::kPeek, Operation::kRefund, Operation::kReset}) {
    for (std::size_t away = 0; away < 3; ++away) {
      client_.refused_slot = SlotFor(items_[away]);
      ASSERT_TRUE(Begin(3, operation));
      EXPECT_EQ(client_.sent.size(), 2U);
      client_.Reply(Ahead());
      client_.Reply(Ahead());
      EXPECT_EQ(fates_, std::vector{Fate::kDecided});
      ASSERT_EQ(call_.fates.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(call_.fates[i], i == away ? Fate::kNotDone : Fate::kDecided);
        EXPECT_EQ(call_.decisions[i].remaining, i == away ? 0 : 2);
      }
      fates_.clear();
    }
  }
  client_.refused_slot = -1;
  ASSERT_TRUE(Begin(3, Operation::kPeek));
  for (int i = 0; i < 3; ++i) client_.Reply(Ahead());
  EXPECT_TRUE(call_.fates.empty()) << "all of them were decided";
}

TEST_F(RedisRemoteFate, AnAnswerThatIsLostIsUnknownForItsItemAlone) {
  ASSERT_TRUE(Begin(3, Operation::kRefund));
  client_.Answer(kLost);
  client_.Reply(Ahead());
  client_.Answer(kUnsent);
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(call_.fates, (std::vector{Fate::kUnknown, Fate::kDecided, Fate::kNotDone}));
}

// A request that takes nothing is only asked: what one slot cannot tell has no numbers.
TEST_F(RedisRemoteFate, ARequestThatTakesNothingAsksEverySlot) {
  call_.taking = Taking::kNone;
  for (std::size_t away = 0; away < 3; ++away) {
    client_.refused_slot = SlotFor(items_[away]);
    ASSERT_TRUE(Begin(3));
    client_.Reply(Ahead());
    client_.Reply(Ahead());
    EXPECT_EQ(fates_, std::vector{Fate::kDecided});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(call_.decisions[i].remaining, i == away ? kNoUnits : 2);
      EXPECT_EQ(call_.decisions[i].source == Source::kFallback, i == away);
    }
    fates_.clear();
  }
  client_.refused_slot = -1;
  ASSERT_TRUE(Begin(2));
  client_.Answer(kLost);
  client_.Answer(kUnsent);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone}) << "nobody has answered";
}

TEST_F(RedisRemoteFate, ARefusalIsOneWhateverBecomesOfTheRest) {
  for (const bool is_sent : {true, false}) {
    fates_.clear();
    ASSERT_TRUE(Begin(2));
    client_.refuses_from = is_sent ? -1 : 0;
    client_.Reply(Refused());
    client_.refuses_from = -1;
    if (is_sent) client_.Answer(kLost);
    EXPECT_EQ(fates_, std::vector{Fate::kDecided});
    EXPECT_FALSE(call_.decisions[0].allowed);
    EXPECT_TRUE(call_.decisions[1].allowed);
    EXPECT_EQ(call_.decisions[1].remaining, kNoUnits);
    EXPECT_EQ(call_.decisions[1].source, Source::kFallback);
  }
}

TEST_F(RedisRemoteFate, ACallIsDecidedWhenTheFirstOfItsSlotsIs) {
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  std::string later = Ahead();
  later.replace(later.find(":1700000000"), 11, ":1700000001");
  client_.Reply(later);
  ASSERT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(call_.decided_at, kNow);
}

TEST_F(RedisRemoteFate, QuotaRefusesOnlyTogether) {
  for (RemoteItem& item : items_) item.veto = Veto::kQuota;
  // The first refuses alone: the second decides, and the third cannot refuse any more.
  ASSERT_TRUE(Begin(3));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 0));
  client_.Reply(Answer(1, 2));
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_FALSE(call_.decisions[0].allowed);
  EXPECT_TRUE(call_.decisions[1].allowed);
  EXPECT_TRUE(client_.sent.empty());
  // All refuse.
  fates_.clear();
  ASSERT_TRUE(Begin(3));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(1, 2));
  client_.Reply(Answer(0, 2));
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 0U);
}

TEST_F(RedisRemoteFate, AnOverdueCallIsToldOnceAndStillDecided) {
  ASSERT_TRUE(Begin(3));
  EXPECT_EQ(client_.sent[0].command->deadline, call_.deadline);
  client_.Overdue();
  clock_.Set(kNow + milliseconds{6});
  EXPECT_EQ(overdue_, 1);
  client_.Reply(Ahead(), true);
  ASSERT_EQ(client_.sent.size(), 1U);
  EXPECT_EQ(client_.sent[0].command->deadline, kNow + milliseconds{6} + RedisLeg::kPatience);
  client_.Overdue();
  client_.Reply(Refused(), true);
  client_.Reply(Answer(1, 1));
  client_.Reply(Ahead());
  EXPECT_EQ(overdue_, 1);
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
}

TEST_F(RedisRemoteFate, AnotherTimeIsTriedEightTimes) {
  ASSERT_TRUE(Begin(1));
  for (int i = 1; i <= 8; ++i) {
    EXPECT_EQ(client_.taken, i);
    EXPECT_TRUE(fates_.empty());
    client_.Reply("*4\r\n:3\r\n:1800000000\r\n:0\r\n$0\r\n\r\n");
  }
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
  EXPECT_EQ(client_.taken, 8);
}

TEST_F(RedisRemoteFate, OtherTermsAreConvertedAndTriedEightTimes) {
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
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
  // Whatever becomes of a conversion, nothing is charged.
  for (const RedisAnswer& failure : {kLost, kUnsent}) {
    fates_.clear();
    ASSERT_TRUE(Begin(1));
    client_.Reply(reply);
    client_.Answer(failure);
    EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
  }
}

TEST_F(RedisRemoteFate, ACallMayBeUsedAgainByItsListener) {
  struct Again final : RemoteListener {
    void OnOverdue(RemoteCall& /*call*/) override {}
    void OnAnswer(RemoteCall& call, Fate /*fate*/) override {
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
