// Tests of Gate and GateSession with a remote store.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gate/gate_session.h"
#include "gate/pending_request.h"
#include "remote_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

class RemoteGateTest : public RemoteFixture {};

TEST_F(RemoteGateTest, RemoteDecidesAndTheVerdictComesLater) {
  Use({PerUser(Rule("a", "2/m"))});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 1);
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kRemote);
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.times, 3);
  EXPECT_EQ(later_.verdict.retry_after(), 30s);
}

// Invariant (3) of PendingRequest.
TEST_F(RemoteGateTest, WaitingRequestsOwnTheirKeys) {
  Use({PerUser(Rule("a", "1/m"))});
  Ask(1, Purpose::kTake, "1");
  Ask(1, Purpose::kTake, "2");
  remote_.Fail(RemoteOutcome::kIndeterminate);
  EXPECT_TRUE(later_.verdict.allowed());
  remote_.Fail(RemoteOutcome::kIndeterminate);
  EXPECT_TRUE(later_.verdict.allowed());
}

TEST_F(RemoteGateTest, LocalRulesNeverAskTheRemote) {
  Use({Local(Rule("a", "1/m"))});
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kMemory);
}

TEST_F(RemoteGateTest, RejectsRulesWithALimitThatTheRemoteCannotKeep) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kConcurrency;
  spec.max_in_flight = 3;
  const Result<Done> done = TryUse({Rule("a", LimitOf(spec))});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "api/rules/a/m: memory only");
}

TEST_F(RemoteGateTest, ReturnsUnitsInMemoryIfTheRemoteRefuses) {
  Use({Local(Rule("near", "5/m")), Rule("far", "1/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  // Only the first request was charged.
  EXPECT_EQ(later_.verdict.decisions()[0].decision.remaining, 4);
  EXPECT_TRUE(later_.verdict.decisions()[0].decision.allowed);
}

TEST_F(RemoteGateTest, PeeksAtTheRemoteIfMemoryRefuses) {
  Use({Local(Rule("near", "1/m")), Rule("far", "5/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_TRUE(later_.verdict.decisions()[1].decision.allowed);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 4);
  EXPECT_EQ(remote_.Left(), 4);
}

// Invariant (1) of PendingRequest.
TEST_F(RemoteGateTest, FallbackDecidesAtTheDeadline) {
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
  EXPECT_EQ(remote_.waiting(), 0U);  // it was allowed, so the charge stays
  EXPECT_EQ(remote_.Left(), 9);
}

// Invariant (2) of PendingRequest.
TEST_F(RemoteGateTest, RefundsALateChargeOfARefusedRequest) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "10/m"))});
  Ask(3);
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.retry_after(), Fallback::kDeniedFor);
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_EQ(remote_.oldest().operation, Operation::kRefund);
  EXPECT_TRUE(remote_.oldest().undoes);
  remote_.Answer();
  EXPECT_EQ(remote_.Left(), 10);
  EXPECT_EQ(remote_.waiting(), 0U);
  EXPECT_EQ(later_.times, 1);
  Ask();
  EXPECT_FALSE(remote_.oldest().undoes);
}

TEST_F(RemoteGateTest, RefundsNothingAfterALateRefusal) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "2/m"))});
  EXPECT_TRUE(Check(2).allowed());
  Ask(1);
  remote_.PassDeadline();
  remote_.Answer();
  EXPECT_EQ(remote_.waiting(), 0U);
}

TEST_F(RemoteGateTest, LateRefundNamesTheWindowOfItsUnits) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{10, 1min};
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", LimitOf(spec)))});
  Ask(3);
  remote_.PassDeadline();
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_TRUE(remote_.oldest().items[0].bound->until == Time{1'700'000'040s});
}

TEST_F(RemoteGateTest, FailureIsDecidedByTheRulesPolicy) {
  Use({OnFailure(OnStoreFailure::kAllow, Rule("open", "1/m")),
       OnFailure(OnStoreFailure::kLocal, Rule("share", "2/m"))});
  Ask();
  remote_.Fail(RemoteOutcome::kIndeterminate);
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

// Invariant (1) of Fallback.
TEST_F(RemoteGateTest, RuleThatDeniesLeavesSharesUncharged) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("closed", "9/m")), Rule("share", "2/m")});
  remote_.is_away = true;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Ask(), GateSession::Decided::kNow);
    EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
    EXPECT_EQ(now_.decisions()[1].decision.remaining, 2);
  }
}

TEST_F(RemoteGateTest, ReturnsUnitsInMemoryIfTheFallbackRefuses) {
  Use({Local(Rule("near", "5/m")), Rule("far", "1/m")});
  remote_.is_away = true;
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 4);
}

TEST_F(RemoteGateTest, FallbackDecidesBeforeTheSecretIsKnown) {
  limits_.known = false;
  Use({Rule("a", "3/m")});
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kFallback);
  EXPECT_EQ(remote_.not_asked, 1) << "it is counted";
  limits_.known = true;
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(remote_.not_asked, 1);
  EXPECT_EQ(later_.verdict.decisions()[0].decision.source, Source::kRemote);
}

TEST_F(RemoteGateTest, AnotherSecretChangesTheKeys) {
  Use({Rule("a", "1/m")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_FALSE(Check().allowed());
  limits_.ChangeSecret();
  EXPECT_TRUE(Check().allowed());
}

TEST_F(RemoteGateTest, SendsRefundsResetsAndLooksToTheRemote) {
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

// The keys of one request may be on several nodes of the remote store, one of which is down.
TEST_F(RemoteGateTest, KeepsResultsOfOtherItemsIfOneFails) {
  Use({Rule("a", "5/m"), Rule("b", "7/m"), Rule("c", "9/m")});
  EXPECT_TRUE(Check().allowed());
  for (const std::size_t failed : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    remote_.failed = {failed, RemoteOutcome::kNotApplied};
    Ask(1, Purpose::kLook);
    remote_.Answer();
    for (std::size_t i = 0; i < 3; ++i) {
      const Decision& decision = later_.verdict.decisions()[i].decision;
      EXPECT_EQ(decision.source, i == failed ? Source::kFallback : Source::kRemote);
      EXPECT_EQ(decision.remaining, static_cast<std::int64_t>(4 + 2 * i));
    }
  }
}

TEST_F(RemoteGateTest, LookAtAnOverrideAgreesWithATake) {
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

TEST_F(RemoteGateTest, MarksDecisionsThatTheRemoteDoesNotKnow) {
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

TEST_F(RemoteGateTest, LeavesPartOfTheCallersDeadline) {
  Use({Rule("a", "5/m")});
  const AttributeSet set{{}, Cost{1}, Purpose::kTake};
  session_.Decide({"api", {&set, 1}, 6ms}, now_, later_);
  EXPECT_EQ(remote_.oldest().deadline, clock_.Now() + 3ms);
  remote_.Answer();
  session_.Decide({"api", {&set, 1}, 2ms}, now_, later_);
  EXPECT_EQ(remote_.oldest().deadline, clock_.Now() + 1ms);
  remote_.Answer();
}

TEST_F(RemoteGateTest, TakesDebtEvenIfTheRequestIsRefused) {
  RuleSpec debt = Rule("debt", "10/m");
  debt.debt = true;
  Use({Local(Rule("near", "1/m")), debt});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(Check(4).kind(), VerdictKind::kRefused);
  EXPECT_EQ(remote_.Left(), 5);
}

// Invariant (6) of GateSession.
TEST_F(RemoteGateTest, CountsLateDecisionsOnce) {
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

TEST_F(RemoteGateTest, DoesNotRebindUnchangedLimits) {
  Use({Rule("a", "1/m"), Rule("b", "1/m")});
  const auto before = gate_.rules();
  Use({Rule("a", "1/m"), Rule("b", "2/m")});
  EXPECT_EQ(gate_.rules()->places[0].remote, before->places[0].remote);
  EXPECT_NE(gate_.rules()->places[1].remote, before->places[1].remote);
}

TEST_F(RemoteGateTest, LateRefundExpiresWhenTheBucketHasRefilled) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("a", "10/s"))});
  Ask(5);
  remote_.PassDeadline();
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  EXPECT_TRUE(remote_.oldest().items[0].bound->until == clock_.Now() + 500ms);
}

// enforce_percent: the nodes of a fleet agree, and nothing outside the fleet can predict the keys.
TEST_F(RemoteGateTest, FleetSecretChoosesTheEnforcedKeys) {
  RuleSpec half = Local(PerUser(Rule("half", "100/m")));
  half.enforce.millionths = Share::kWhole / 2;
  Use({half});
  auto other_store = MemoryStore::Create({.seed = {3, 4}}).value();
  Gate other_gate{*other_store, clock_, &limits_};
  ASSERT_TRUE(other_gate.Use(gate_.rules()->rules).ok());
  GateSession other{other_gate, {.remote = &remote_, .timeout = 5ms}};
  GateSession alone{gate_};
  const auto enforced = [&](GateSession& session) {
    std::vector<bool> all;
    for (int i = 0; i < 200; ++i) {
      const std::string user = std::to_string(i);
      const std::vector<Attribute> attributes{{"user", user}};
      const AttributeSet set{attributes, Cost{1}};
      EXPECT_EQ(session.Decide({"api", {&set, 1}}, now_, later_), GateSession::Decided::kNow);
      all.push_back(now_.decisions()[0].enforcement == Enforcement::kEnforce);
    }
    return all;
  };
  const std::vector<bool> chosen = enforced(session_);
  EXPECT_GT(std::ranges::count(chosen, true), 60);
  EXPECT_LT(std::ranges::count(chosen, true), 140);
  EXPECT_EQ(enforced(other), chosen) << "another node of the fleet";
  EXPECT_NE(enforced(alone), chosen) << "a node without a fleet has a secret of its own";
  EXPECT_EQ(enforced(alone), enforced(alone));
  limits_.ChangeSecret();
  EXPECT_NE(enforced(session_), chosen);
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

// Three charges, the middle one a debt: the others are refunded, the debt stays.
TEST_F(RemoteGateTest, LateAnswerDoesNotRefundADebt) {
  RuleSpec debt = Rule("debt", "20/m");
  debt.debt = true;
  Use({OnFailure(OnStoreFailure::kDeny, Rule("closed", "10/m")), debt,
       OnFailure(OnStoreFailure::kDeny, Rule("last", "30/m"))});
  Ask(3);
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  remote_.Answer();
  ASSERT_EQ(remote_.waiting(), 1U);
  const std::vector<RemoteItem>& items = remote_.oldest().items;
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].terms->limit().spec.rate->count, 10);
  EXPECT_EQ(items[1].terms->limit().spec.rate->count, 30);
  remote_.Answer();
}

// Units of a window that ends at this instant can no longer be given back.
TEST_F(RemoteGateTest, RefundsNothingToAWindowThatBeginsAtThatInstant) {
  LimitSpec window;
  window.algorithm = Algorithm::kFixedWindow;
  window.rate = Rate{5, 1min};
  Use({Local(Rule("near", LimitOf(window))), PerUser(Rule("far", "2/h"))});
  EXPECT_TRUE(Check(2).allowed());
  Ask();  // the third of this user, which the remote store refuses
  const Time end{1'700'000'040s};
  clock_.Advance(end - clock_.Now());
  remote_.is_away = true;
  EXPECT_EQ(Ask(2, Purpose::kTake, "another"), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  remote_.is_away = false;
  remote_.Answer();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  remote_.is_away = true;
  Ask(0, Purpose::kTake, "another");
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 3);
}

TEST_F(RemoteGateTest, CostOfZeroPassesIfTheStoreIsDownAndTheRuleDenies) {
  Use({OnFailure(OnStoreFailure::kDeny, Rule("closed", "10/m"))});
  remote_.is_away = true;
  Ask(0);
  EXPECT_TRUE(now_.allowed());
  Ask(1);
  EXPECT_FALSE(now_.allowed());
}

// Invariant (3) of PendingRequest: a waiting request owns a copy of each of its keys.
TEST_F(RemoteGateTest, WaitingRequestOwnsEachOfItsKeys) {
  RuleSpec by_ip = Rule("ip", "1/h");
  by_ip.per = {{{"ip"}, {}}};
  RuleSpec by_host = Rule("host", "9/h");
  by_host.per = {{{"host"}, {}}};
  Use({PerUser(Rule("user", "9/h")), by_ip, by_host});
  const auto is_allowed = [&](const char* user, const char* ip) {
    const std::vector<Attribute> attributes{{"user", user}, {"ip", ip}, {"host", "h"}};
    const AttributeSet set{attributes, Cost{1}};
    EXPECT_EQ(session_.Decide({"api", {&set, 1}}, now_, later_), GateSession::Decided::kLater);
    remote_.Fail(RemoteOutcome::kIndeterminate);
    return later_.verdict.allowed();
  };
  EXPECT_TRUE(is_allowed("1", "10.0.0.1"));
  EXPECT_FALSE(is_allowed("2", "10.0.0.1"));
  EXPECT_TRUE(is_allowed("1", "10.0.0.2"));
}

}  // namespace
}  // namespace sluice::testing
