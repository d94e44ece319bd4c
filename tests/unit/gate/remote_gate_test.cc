// Gate and GateSession with a remote.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gate/deciding.h"
#include "gate/gate_session.h"
#include "scene.h"
#include "support/fake_clock.h"
#include "support/stepped_remote.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

class KeptVerdict final : public VerdictWaiter {
 public:
  void OnVerdict(Verdict& there) override {
    ++times;
    std::swap(verdict, there);
  }

  Verdict verdict;
  int times = 0;
};

class RemoteGateTest : public ::testing::Test {
 protected:
  void Use(std::vector<RuleSpec> rules) { ASSERT_TRUE(TryUse(std::move(rules)).ok()); }
  Result<Done> TryUse(std::vector<RuleSpec> rules) {
    DomainSpec domain;
    domain.name = "api";
    domain.rules = std::move(rules);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    return gate_.Use(RuleSet::Make(std::move(spec)));
  }

  // Asks; what is decided at once is in now_, all else comes to later_.
  GateSession::Decided Ask(std::int64_t cost = 1, Purpose purpose = Purpose::kTake,
                           const std::string& user = "42") {
    const std::vector<Attribute> attributes{{"user", user}};
    const AttributeSet set{attributes, Cost{cost}, purpose};
    return session_.Decide({"api", {&set, 1}}, now_, later_);
  }
  // Asks, and lets the remote answer.
  const Verdict& Check(std::int64_t cost = 1) {
    EXPECT_EQ(Ask(cost), GateSession::Decided::kLater);
    remote_.Answer();
    return later_.verdict;
  }

  static RuleSpec Local(RuleSpec rule) {
    rule.consistency = Consistency::kLocal;
    return rule;
  }
  static RuleSpec OnFailure(OnStoreFailure policy, RuleSpec rule) {
    rule.on_store_failure = policy;
    return rule;
  }
  static RuleSpec PerUser(RuleSpec rule) {
    rule.per = {{{"user"}, {}}};
    return rule;
  }

  FakeClock clock_{Time{1'700'000'000s}};
  std::unique_ptr<MemoryStore> store_ = MemoryStore::Create({.seed = {1, 2}}).value();
  SteppedLimits limits_;
  SteppedRemote remote_{clock_};
  Gate gate_{*store_, clock_, &limits_};
  GateSession session_{gate_, {.remote = &remote_, .patience = 5ms}};
  Verdict now_;
  KeptVerdict later_;
};

TEST_F(RemoteGateTest, TheRemoteDecidesAndTheVerdictComesLater) {
  Use({PerUser(Rule("a", "2/m"))});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 1);
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kRemote);
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.times, 3);
  EXPECT_EQ(later_.verdict.retry_after(), 30s);
}

// Deciding, invariant (3).
TEST_F(RemoteGateTest, KeysOfRequestsThatWaitAreTheirOwn) {
  Use({PerUser(Rule("a", "1/m"))});
  Ask(1, Purpose::kTake, "1");
  Ask(1, Purpose::kTake, "2");
  remote_.Fail(RemoteFate::kUnknown);
  EXPECT_TRUE(later_.verdict.allowed());
  remote_.Fail(RemoteFate::kUnknown);
  EXPECT_TRUE(later_.verdict.allowed());
}

TEST_F(RemoteGateTest, LocalRulesNeverAskIt) {
  Use({Local(Rule("a", "1/m"))});
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kMemory);
}

TEST_F(RemoteGateTest, ALimitThatTheRemoteCannotKeepIsAnErrorOfTheRules) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 3;
  const Result<Done> done = TryUse({Rule("a", LimitOf(spec))});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "api/rules/a/m: memory only");
}

TEST_F(RemoteGateTest, WhatWasTakenInMemoryIsGivenBackWhereTheRemoteRefuses) {
  Use({Local(Rule("near", "5/m")), Rule("far", "1/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  // Of the first request alone.
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 4);
  EXPECT_TRUE(later_.verdict.decisions()[0].decision.allowed);
}

TEST_F(RemoteGateTest, WhereMemoryRefusesTheRemoteIsOnlyAsked) {
  Use({Local(Rule("near", "1/m")), Rule("far", "5/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_TRUE(later_.verdict.decisions()[1].decision.allowed);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 4);
  EXPECT_EQ(remote_.Left(), 4);
}

// Deciding, invariant (1).
TEST_F(RemoteGateTest, WithoutAnAnswerInTimeTheFallbackDecidesAtOnce) {
  Use({Rule("a", "10/m")});
  EXPECT_EQ(Ask(), GateSession::Decided::kLater);
  EXPECT_EQ(remote_.oldest().deadline, clock_.Now() + 5ms);
  remote_.PassDeadline();
  ASSERT_EQ(later_.times, 1);
  EXPECT_TRUE(later_.verdict.allowed());
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kFallback);
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 9);
  remote_.Answer();
  EXPECT_EQ(later_.times, 1);
  EXPECT_EQ(remote_.waiting(), 0U);  // it was allowed, so what was charged stays
  EXPECT_EQ(remote_.Left(), 9);
}

// Deciding, invariant (2).
TEST_F(RemoteGateTest, ALateChargeOfARefusedRequestIsGivenBack) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "10/m"))});
  Ask(3);
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.retry_after(), Fallback::kDeniedFor);
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_EQ(remote_.oldest().operation, Operation::kRefund);
  remote_.Answer();
  EXPECT_EQ(remote_.Left(), 10);
  EXPECT_EQ(remote_.waiting(), 0U);
  EXPECT_EQ(later_.times, 1);
}

TEST_F(RemoteGateTest, ALateRefusalOfARefusedRequestGivesNothingBack) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "2/m"))});
  EXPECT_TRUE(Check(2).allowed());
  Ask(1);
  remote_.PassDeadline();
  remote_.Answer();
  EXPECT_EQ(remote_.waiting(), 0U);
}

TEST_F(RemoteGateTest, ALateAnswerNamesTheWindowOfWhatItGivesBack) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{10, 1min};
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", LimitOf(spec)))});
  Ask(3);
  remote_.PassDeadline();
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_TRUE(remote_.oldest().items[0].until == Time{1'700'000'040s});
}

TEST_F(RemoteGateTest, AFailureIsDecidedByTheRulesOwnPolicy) {
  Use({OnFailure(OnStoreFailure::kAllow, Rule("open", "1/m")),
       OnFailure(OnStoreFailure::kLocal, Rule("share", "2/m"))});
  Ask();
  remote_.Fail(RemoteFate::kUnknown);
  EXPECT_TRUE(later_.verdict.allowed());
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, kNoUnits);
  remote_.is_away = true;
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_TRUE(now_.decisions()[0].decision.allowed);
  EXPECT_FALSE(now_.decisions()[1].decision.allowed);
  EXPECT_EQ(now_.decisions()[1].decision.source, Source::kFallback);
}

// Fallback, invariant (1).
TEST_F(RemoteGateTest, ARuleThatDeniesLeavesTheSharesOfOthersAlone) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("closed", "9/m")), Rule("share", "2/m")});
  remote_.is_away = true;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Ask(), GateSession::Decided::kNow);
    EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
    EXPECT_EQ(now_.decisions()[1].decision.remaining, 2);
  }
}

TEST_F(RemoteGateTest, WhatMemoryTookIsGivenBackWhereTheFallbackRefuses) {
  Use({Local(Rule("near", "5/m")), Rule("far", "1/m")});
  remote_.is_away = true;
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 4);
}

// Gate, invariant (3).
TEST_F(RemoteGateTest, SharesOfAllNodesAddUpToTheLimit) {
  Use({Rule("a", "100/m")});
  remote_.is_away = true;
  ASSERT_TRUE(gate_.SetFleetSize({4}));
  int allowed = 0;
  for (int i = 0; i < 100; ++i) {
    Ask();
    allowed += now_.allowed() ? 1 : 0;
  }
  EXPECT_EQ(allowed, 25);
  // What was admitted stays known while nodes come and go.
  ASSERT_TRUE(gate_.SetFleetSize({2}));
  for (int i = 0; i < 100; ++i) {
    Ask();
    allowed += now_.allowed() ? 1 : 0;
  }
  EXPECT_EQ(allowed, 50);
}

// Deciding, invariant (4).
TEST_F(RemoteGateTest, TheShareStartsFromWhatTheRemoteLetPass) {
  Use({Rule("a", "5/m")});
  EXPECT_TRUE(Check(3).allowed());
  remote_.is_away = true;
  Ask();
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kFallback);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 1);
  // What the fallback admits the remote does not know; it is charged here once.
  remote_.is_away = false;
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(remote_.Left(), 1);
  remote_.is_away = true;
  Ask();
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
}

TEST_F(RemoteGateTest, AShareThatIsUsedUpRefusesNothingThatTheRemoteLetsPass) {
  Use({Rule("a", "100/m")});
  ASSERT_TRUE(gate_.SetFleetSize({4}));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Check(20).allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 0);
  // It is not below zero: its part of the rate is there at once.
  clock_.Advance(2400ms);
  Ask();
  EXPECT_TRUE(now_.allowed());
}

TEST_F(RemoteGateTest, SharesFollowRefundsAndResets) {
  Use({Rule("a", "5/m")});
  Check(4);
  Ask(2, Purpose::kGiveBack);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 3);
  remote_.is_away = false;
  Ask(1, Purpose::kForget);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 5);
}

TEST_F(RemoteGateTest, WhatIsRefusedOrLookedAtLeavesSharesAlone) {
  Use({Rule("a", "5/m"), Rule("b", "2/m")});
  EXPECT_FALSE(Check(3).allowed());
  Ask(1, Purpose::kLook);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 5);
  EXPECT_EQ(now_.decisions()[1].decision.remaining, 2);
}

TEST_F(RemoteGateTest, LateAnswersChargeSharesNoSecondTime) {
  Use({Rule("a", "10/m")});
  Ask(3);
  remote_.PassDeadline();
  remote_.Answer();
  // Refused here, and charged there too late: neither has it in the end.
  Ask(8);
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 7);
}

TEST_F(RemoteGateTest, WhereAShareIsOfNoUseItDoesNotFollow) {
  RuleSpec eventual = Rule("f", "9/m");
  eventual.consistency = Consistency::kEventual;
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{10, 1min};
  spec.count_refused = true;
  Use({OnFailure(OnStoreFailure::kAllow, Rule("a", "9/m")),
       OnFailure(OnStoreFailure::kDeny, Rule("b", "9/m")), Rule("c", LimitOf(spec)),
       Local(Rule("d", "9/m")), Rule("e", "9/m"), eventual});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(store_->StatsApprox().keys, 2U);  // of d and e
}

// What passes while the remote comes and goes every second, of a caller that asks for more than
// there is: the rate, a burst, and what the remote has refilled each time that it was away.
TEST_F(RemoteGateTest, FlappingDoesNotDoubleTheLimit) {
  Use({Rule("a", "10/s")});
  const Time begin = clock_.Now();
  int allowed = 0;
  for (int i = 0; i < 20'000; ++i) {
    remote_.is_away = (i / 1000) % 2 == 1;
    const bool is_now = Ask() == GateSession::Decided::kNow;
    if (!is_now) remote_.Answer();
    allowed += (is_now ? now_ : later_.verdict).allowed() ? 1 : 0;
    clock_.Advance(1ms);
  }
  EXPECT_EQ(clock_.Now() - begin, 20s);
  EXPECT_LE(allowed, 10 + 20 * 10 + 10 * 10);
}

TEST_F(RemoteGateTest, TheStateOfTheShareSurvivesFlapping) {
  Use({Rule("a", "6/m")});
  for (int i = 0; i < 3; ++i) {
    remote_.is_away = true;
    Ask();
    EXPECT_EQ(now_.decisions()[0].decision.remaining, 5 - 2 * i);
    remote_.is_away = false;
    EXPECT_TRUE(Check().allowed());
  }
}

TEST_F(RemoteGateTest, BeforeTheSecretIsKnownTheFallbackDecides) {
  limits_.known = false;
  Use({Rule("a", "3/m")});
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kFallback);
  limits_.known = true;
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kRemote);
}

TEST_F(RemoteGateTest, UnderAnotherSecretKeysAreOthers) {
  Use({Rule("a", "1/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_FALSE(Check().allowed());
  limits_.ChangeSecret();
  EXPECT_TRUE(Check().allowed());
}

TEST_F(RemoteGateTest, RefundsResetsAndLooksGoToTheRemote) {
  Use({Rule("a", "5/m")});
  Check(4);
  EXPECT_EQ(Ask(2, Purpose::kGiveBack), GateSession::Decided::kLater);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 3);
  Ask(4, Purpose::kLook);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(remote_.Left(), 3);
  Ask(1, Purpose::kForget);
  remote_.Answer();
  EXPECT_EQ(remote_.Left(), 5);
}

TEST_F(RemoteGateTest, ALookAtACallersOwnLimitIsRefusedWhereATakeIs) {
  Use({});
  const std::vector<Attribute> attributes{{"user", "42"}};
  const LimitOverride one{1, LimitOverride::Period::kHour};
  const auto ask = [&](Purpose purpose) {
    const AttributeSet set{attributes, Cost{1}, purpose, one};
    EXPECT_EQ(session_.Decide({"api", {&set, 1}}, now_, later_), GateSession::Decided::kLater);
    remote_.Answer();
    return later_.verdict.allowed();
  };
  EXPECT_TRUE(ask(Purpose::kLook));
  EXPECT_TRUE(ask(Purpose::kTake));
  EXPECT_FALSE(ask(Purpose::kLook));
  EXPECT_FALSE(ask(Purpose::kTake));
}

TEST_F(RemoteGateTest, WhatTheRemoteCannotTellHasNoNumbersAndSaysSo) {
  Use({Rule("a", "1/m"), Rule("b", "5/m")});
  Check();
  remote_.untold = 1;
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kRemote);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.source, Source::kFallback);

  const std::vector<Attribute> attributes{{"user", "42"}};
  const LimitOverride one{1, LimitOverride::Period::kHour};
  const AttributeSet set{attributes, Cost{1}, Purpose::kTake, one};
  remote_.untold = 0;
  ASSERT_EQ(session_.Decide({"api", {&set, 1}}, now_, later_), GateSession::Decided::kLater);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, kNoUnits);
}

TEST_F(RemoteGateTest, ACallersTimeIsNotUsedUp) {
  Use({Rule("a", "5/m")});
  const AttributeSet set{{}, Cost{1}, Purpose::kTake};
  session_.Decide({"api", {&set, 1}, 6ms}, now_, later_);
  EXPECT_EQ(remote_.oldest().deadline, clock_.Now() + 3ms);
  remote_.Answer();
  session_.Decide({"api", {&set, 1}, 2ms}, now_, later_);
  EXPECT_EQ(remote_.oldest().deadline, clock_.Now() + 1ms);
  remote_.Answer();
}

TEST_F(RemoteGateTest, ADebtIsTakenWhateverBecomesOfTheRequest) {
  RuleSpec debt = Rule("debt", "10/m");
  debt.debt = true;
  Use({Local(Rule("near", "1/m")), debt});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check(4).kind(), VerdictKind::kRefused);
  EXPECT_EQ(remote_.Left(), 5);
}

// GateSession, invariant (6).
TEST_F(RemoteGateTest, LateDecisionsAreCountedOnce) {
  Use({PerUser(Rule("a", "1/m"))});
  Check();
  Check();
  remote_.is_away = true;
  Ask(1, Purpose::kTake, "another");
  const RuleSums sums = gate_.counts().SumApprox();
  const RuleTotals& totals = sums.totals.at(sums.series->OfLimit(0));
  EXPECT_EQ(totals[RuleOutcome::kAllowed], 1U);
  EXPECT_EQ(totals[RuleOutcome::kRefused], 1U);
  EXPECT_EQ(totals[RuleOutcome::kFallbackAllowed], 1U);
  EXPECT_EQ(totals.units, 2U);
  const VerdictCounts counts = session_.TakeVerdictCounts();
  EXPECT_EQ(counts.checks[static_cast<std::size_t>(VerdictKind::kAllowed)], 2U);
  EXPECT_EQ(counts.checks[static_cast<std::size_t>(VerdictKind::kRefused)], 1U);
}

TEST_F(RemoteGateTest, ALimitThatStaysIsNotBoundAgain) {
  Use({Rule("a", "1/m"), Rule("b", "1/m")});
  const auto before = gate_.rules();
  Use({Rule("a", "1/m"), Rule("b", "2/m")});
  EXPECT_EQ(gate_.rules()->places[0].remote, before->places[0].remote);
  EXPECT_NE(gate_.rules()->places[1].remote, before->places[1].remote);
}

TEST_F(RemoteGateTest, ALateAnswerGivesBackOnlyWhatIsNotBackByItself) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "10/s"))});
  Ask(5);
  remote_.PassDeadline();
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_TRUE(remote_.oldest().items[0].until == clock_.Now() + 500ms);
}

TEST_F(RemoteGateTest, RulesMayChangeWhileARequestWaits) {
  Use({Rule("a", "1/m")});
  Ask();
  Use({Rule("b", "7/m")});
  EXPECT_EQ(Ask(), GateSession::Decided::kLater);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.decisions()[0].limit->rule, "a");
  remote_.Answer();
  EXPECT_EQ(later_.verdict.decisions()[0].limit->rule, "b");
}

}  // namespace
}  // namespace sluice::testing
