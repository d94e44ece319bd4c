// RedisRemote: what becomes of calls whose commands fail, come late or meet another time.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/text.h"
#include "remote/redis_key_name.h"
#include "remote/redis_remote.h"
#include "remote/redis_script.h"
#include "remote/redis_slot.h"
#include "support/fake_clock.h"
#include "unit/remote/fake_redis_client.h"
#include "unit/remote/remote_items.h"

namespace sluice {
namespace {

using Fate = RemoteFate;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr RedisAnswer kUnsent{.fate = RedisAnswer::Fate::kNotSent,
                              .cause = RedisAnswer::Cause::kBroken};
constexpr RedisAnswer kDropped{.fate = RedisAnswer::Fate::kNotSent,
                               .cause = RedisAnswer::Cause::kOverdue};
constexpr RedisAnswer kLost{.fate = RedisAnswer::Fate::kUnknown,
                            .cause = RedisAnswer::Cause::kBroken};

class RedisRemoteFate : public ::testing::Test, public RemoteListener {
 protected:
  void SetUp() override {
    // Three keys whose slots come in this order.
    for (int i = 0; i < 3; ++i) items_.push_back(ItemOf(terms_, Concat("k", i), Concat("r", i)));
    std::sort(items_.begin(), items_.end(), [](const RemoteItem& one, const RemoteItem& other) {
      return SlotFor(one) < SlotFor(other);
    });
    ASSERT_LT(SlotFor(items_[0]), SlotFor(items_[1]));
    ASSERT_LT(SlotFor(items_[1]), SlotFor(items_[2]));
    clock_.Set(kNow);
  }

  static std::uint16_t SlotFor(const RemoteItem& item) {
    std::string name;
    AppendRedisKeyName("sluice:", item.key, item.route, name);
    return SlotOf(name);
  }

  void OnOverdue(RemoteCall& call) override {
    EXPECT_EQ(&call, &call_);
    ++overdue_;
  }
  void OnAnswer(RemoteCall& call, Fate fate) override {
    EXPECT_EQ(&call, &call_);
    fates_.push_back(fate);
  }

  // A call of the first keys; each is of a slot of its own.
  bool Begin(std::size_t keys, Operation operation = Operation::kCheck) {
    call_.operation = operation;
    call_.items.assign(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(keys));
    call_.deadline = kNow + milliseconds{5};
    const bool is_taken = remote_.Decide(call_, *this);
    EXPECT_TRUE(fates_.empty());
    return is_taken;
  }

  // Replies about one key, of which so many of 2 are used.
  static std::string Answer(int status, int used) {
    const std::string state = used == 0 ? "" : Concat(TagOfTerms(), " 1700002800000000 ", used);
    return Concat("*4\r\n:", status, "\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state,
                  "\r\n");
  }
  static std::string TagOfTerms() {
    return static_cast<const RedisTerms&>(*terms_).remote_limit().tag();
  }
  static std::string Ahead() { return Answer(1, 0); }
  static std::string Refused() { return Answer(0, 2); }

  [[nodiscard]] std::vector<std::uint16_t> SlotsUnderWay() const {
    std::vector<std::uint16_t> slots;
    for (const auto& each : client_.sent) slots.push_back(each.command->slot);
    return slots;
  }
  // Whether a command is a refund: the item after the numbers of the shape.
  [[nodiscard]] bool IsGiveBack(std::size_t place) const {
    return client_.sent.at(place).bytes.find("\r\nf\r\n$1\r\n1\r\n$16\r\n") != std::string::npos;
  }

  static constexpr Time kNow{seconds{1'700'000'000}};
  static inline const std::shared_ptr<const RemoteTerms> terms_ =
      MustBind(PerHour(2, Algorithm::kFixedWindow));

  FakeRedisClient client_;
  testing::FakeClock clock_;
  RedisRemote remote_{client_, clock_, {.slots = RedisSlots::kSpread}};
  std::vector<RemoteItem> items_;
  RemoteCall call_;
  std::vector<Fate> fates_;
  int overdue_ = 0;
};

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

// Invariant (3) of Remote.
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
  client_.Reply(Ahead());
  client_.Answer(kLost);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
}

// Of items on their own all are asked at once, and the answer comes with the last.
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
    EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
  }
  client_.refuses_from = client_.taken + 1;
  fates_.clear();
  ASSERT_TRUE(Begin(2, Operation::kDebt));
  client_.Answer(kUnsent);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
}

// Invariants (4) and (5).
TEST_F(RedisRemoteFate, ARefusalGivesBackWhatWasTakenAndAsksTheRest) {
  ASSERT_TRUE(Begin(3));
  EXPECT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[0])});
  client_.Reply(Ahead());
  EXPECT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[1])});
  client_.Reply(Refused());
  ASSERT_EQ(SlotsUnderWay(), (std::vector{SlotFor(items_[0]), SlotFor(items_[2])}));
  EXPECT_TRUE(IsGiveBack(0));
  // With the end of the window.
  EXPECT_NE(client_.sent[0].bytes.find("\r\n1700002800000000\r\n"), std::string::npos);
  EXPECT_FALSE(IsGiveBack(1));
  client_.Reply(Answer(1, 1));
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 1U);
  EXPECT_TRUE(call_.decisions[0].allowed);
  EXPECT_EQ(call_.decisions[0].remaining, 2);
  EXPECT_EQ(call_.decisions[0].reset_after, Nanos{0});
  EXPECT_FALSE(call_.decisions[1].allowed);
  EXPECT_TRUE(call_.decisions[2].allowed);
  EXPECT_EQ(call_.decisions[2].remaining, 1);
}

// Invariant (9).
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

TEST_F(RedisRemoteFate, ADebtAfterARefusalIsNotLeftUntold) {
  items_[1].veto = Veto::kDebt;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Refused());
  client_.Answer(kLost);
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
}

// Invariant (6).
TEST_F(RedisRemoteFate, AFailureGivesBackWhatWasTaken) {
  ASSERT_TRUE(Begin(3));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  ASSERT_EQ(SlotsUnderWay(), std::vector{SlotFor(items_[0])});
  EXPECT_TRUE(IsGiveBack(0));
  EXPECT_TRUE(fates_.empty());
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
  // The same where a command was lost: of that one nobody knows.
  fates_.clear();
  ASSERT_TRUE(Begin(3));
  client_.Reply(Ahead());
  client_.Answer(kLost);
  EXPECT_TRUE(IsGiveBack(0));
  client_.Reply(Answer(1, 1));
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
  EXPECT_EQ(remote_.counts().given_back.ReadApprox(), 2U);
}

// They come when replies are late, which is when breakers are open.
TEST_F(RedisRemoteFate, GiveBacksPassTheBreaker) {
  ASSERT_TRUE(Begin(2));
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Ahead());
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Refused());
  ASSERT_TRUE(IsGiveBack(0));
  EXPECT_TRUE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
  // One that the caller makes.
  fates_.clear();
  call_.undoes = true;
  ASSERT_TRUE(Begin(1, Operation::kRefund));
  EXPECT_TRUE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
  call_.undoes = false;
  fates_.clear();
  ASSERT_TRUE(Begin(1, Operation::kRefund));
  EXPECT_FALSE(client_.sent.front().command->passes_breaker);
  client_.Reply(Answer(1, 1));
}

// What is back in the first slot by then is not given back in the window after it.
TEST_F(RedisRemoteFate, ACallIsDecidedWhenTheFirstOfItsSlotsIs) {
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  std::string later = Ahead();
  later.replace(later.find(":1700000000"), 11, ":1700000001");
  client_.Reply(later);
  ASSERT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(call_.decided_at, kNow);
}

TEST_F(RedisRemoteFate, AGiveBackThatFailsIsCountedAndNotRepeated) {
  for (const RedisAnswer& failure : {kLost, kUnsent}) {
    fates_.clear();
    ASSERT_TRUE(Begin(2));
    client_.Reply(Ahead());
    client_.Reply(Refused());
    client_.Answer(failure);
    // It is refused all the same, and says what is charged.
    EXPECT_EQ(fates_, std::vector{Fate::kDecided});
    EXPECT_EQ(call_.decisions[0].remaining, 1);
    EXPECT_TRUE(client_.sent.empty());
  }
  // One that is not even taken.
  fates_.clear();
  client_.refuses_from = client_.taken + 2;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply(Refused());
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  EXPECT_EQ(remote_.counts().not_given_back.ReadApprox(), 3U);
  // With a failure, what stays charged makes it unknown.
  fates_.clear();
  client_.refuses_from = client_.taken + 1;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
  EXPECT_EQ(remote_.counts().not_given_back.ReadApprox(), 4U);
}

TEST_F(RedisRemoteFate, ADebtThatWasTakenMakesAFailureUnknown) {
  items_[0].veto = Veto::kDebt;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
}

// Pacers take no refunds, and what count_refused has recorded stays.
TEST_F(RedisRemoteFate, WhatCannotBeGivenBackMakesAFailureUnknown) {
  const auto pacer = MustBind(PerHour(3600, Algorithm::kPacer));
  items_[0].terms = items_[1].terms = pacer;
  ASSERT_TRUE(Begin(2));
  client_.Reply(Ahead());
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
  fates_.clear();
  LimitSpec spec = PerHour(2, Algorithm::kFixedWindow);
  spec.count_refused = true;
  items_[0].terms = MustBind(spec);
  items_[0].veto = Veto::kShadow;
  items_[1].terms = terms_;
  ASSERT_TRUE(Begin(2));
  const std::string tag = static_cast<const RedisTerms&>(*items_[0].terms).remote_limit().tag();
  const std::string state = tag + " 1700002800000000 2";
  client_.Reply(Concat("*4\r\n:1\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state, "\r\n"));
  client_.Reply("-OOM command not allowed\r\n");
  EXPECT_TRUE(client_.sent.empty());
  EXPECT_EQ(fates_, std::vector{Fate::kUnknown});
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

// Invariant (7).
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

TEST_F(RedisRemoteFate, WhatMustBeGivenBackOutlivesTheDeadline) {
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
  EXPECT_EQ(fates_, std::vector{Fate::kDecided});
  // A charge that the deadline stopped is not done.
  fates_.clear();
  clock_.Set(kNow);
  ASSERT_TRUE(Begin(1));
  client_.Answer(kDropped);
  EXPECT_EQ(fates_, std::vector{Fate::kNotDone});
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
  const auto other = MustBind(PerHour(3, Algorithm::kFixedWindow));
  const std::string state =
      Concat(static_cast<const RedisTerms&>(*other).remote_limit().tag(), " 1700002800000000 1");
  const std::string reply =
      Concat("*4\r\n:2\r\n:1700000000\r\n:0\r\n$", state.size(), "\r\n", state, "\r\n");
  ASSERT_TRUE(Begin(1));
  for (int i = 1; i < 8; ++i) {
    client_.Reply(reply);
    EXPECT_EQ(client_.sent[0].command->script, ReplaceScript().text);
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

// A listener may ask again at once, with the same call.
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

TEST(RedisLimits, SaysWhichNumberIsAtFaultAndKeepsSecretsWhereTheyAre) {
  RedisLimits limits;
  EXPECT_EQ(limits.secret(), nullptr);
  limits.SetSecret(kTestSecret);
  const FleetSecret* const first = limits.secret();
  ASSERT_NE(first, nullptr);
  limits.SetSecret(kTestSecret);
  EXPECT_EQ(limits.secret(), first);
  limits.SetSecret({{5, 6}, {7, 8}});
  EXPECT_EQ(*limits.secret(), (FleetSecret{{5, 6}, {7, 8}}));
  EXPECT_EQ(*first, kTestSecret);
  LimitSpec spec = PerHour(1, Algorithm::kSlidingWindow);
  spec.rate->period = Nanos{1001};
  const auto bound = limits.Bind(testing::MustMake(spec));
  ASSERT_FALSE(bound.ok());
  EXPECT_NE(bound.error().message.find("period"), std::string::npos);
}

// Invariant (8).
TEST(RedisKeyName, IsOfTheRouteAndTheKey) {
  std::string name;
  AppendRedisKeyName("p:", {.high = 0x0123456789abcdef, .low = 0xfedcba9876543210}, 0xfff00041,
                     name);
  EXPECT_EQ(name, "p:{ABB}ASNFZ4mrze_-3LqYdlQyEA");
  EXPECT_EQ(name.size(), 2 + kRedisKeyNameSize);
}

}  // namespace
}  // namespace sluice
