// Tests of requests with several sets of attributes, and of purposes other than kTake.
#include "gate/gate_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "support/fake_clock.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Period = LimitOverride::Period;

DescriptorSpec Descriptor(const std::string& key, const std::string& limit) {
  DescriptorSpec descriptor;
  descriptor.key = key;
  descriptor.limit = ParseLimit(limit, {}).value();
  return descriptor;
}

DescriptorSpec Quota(DescriptorSpec descriptor) {
  descriptor.quota_mode = true;
  return descriptor;
}

RuleSpec Gatekeeper(RuleAction action, const std::string& attribute) {
  RuleSpec rule;
  rule.name = attribute;
  rule.action = action;
  rule.match.push_back(
      {attribute, {.kind = MatcherSpec::Kind::kPresent, .texts = {}, .origin = {}}});
  return rule;
}

// Returns a rule that applies to sets with an attribute of its name.
RuleSpec Debt(const std::string& name, const std::string& limit) {
  RuleSpec rule = Gatekeeper(RuleAction::kLimit, name);
  rule.limits.push_back({"h", ParseLimit(limit, {}).value(), {}});
  rule.debt = true;
  return rule;
}

// Sets of one attribute each: {"user", "42"}.
class GateSessionTest : public ::testing::Test {
 protected:
  struct Set {
    Attribute attribute;
    std::int64_t cost = 1;
    Purpose purpose = Purpose::kTake;
    std::optional<LimitOverride> limit = std::nullopt;
  };

  GateSessionTest()
      : store_(MemoryStore::Create({.seed = {1, 2}}).value()), gate_(*store_, clock_) {
    // The start of a week, so that windows of every period are whole.
    clock_.Set(Time{std::chrono::days{7 * 1000}});
  }

  void Use(std::vector<DescriptorSpec> descriptors, std::vector<RuleSpec> rules = {}) {
    DomainSpec domain;
    domain.name = "api";
    domain.descriptors = std::move(descriptors);
    domain.rules = std::move(rules);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    ASSERT_TRUE(gate_.Use(RuleSet::Make(std::move(spec))).ok());
  }

  const Verdict& Decide(const std::vector<Set>& sets) {
    std::vector<AttributeSet> charges;
    charges.reserve(sets.size());
    for (const Set& set : sets) {
      charges.push_back({{&set.attribute, 1}, Cost{set.cost}, set.purpose, set.limit});
    }
    session_.Decide({.domain = "api", .sets = charges, .bad_cost = bad_cost_}, verdict_);
    return verdict_;
  }
  std::int64_t Remaining(Attribute attribute) {
    return Decide({{attribute, 1, Purpose::kLook}}).decisions()[0].decision.remaining;
  }

  FakeClock clock_;
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
  GateSession session_{gate_};
  Verdict verdict_;
  BadCost bad_cost_ = BadCost::kFault;
};

TEST_F(GateSessionTest, EverySetHasItsOwnVerdict) {
  Use({Descriptor("user", "1/h"), Descriptor("ip", "9/h")});
  EXPECT_TRUE(Decide({{{"ip", "1"}}, {{"none", "x"}}, {{"user", "42"}}}).allowed());
  ASSERT_EQ(verdict_.sets().size(), 3U);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[0])->decision.remaining, 8);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[1]), nullptr);
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[2])->decision.remaining, 0);
  EXPECT_FALSE(Decide({{{"ip", "1"}}, {{"user", "42"}}}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
  EXPECT_EQ(verdict_.retry_after(), hours{1});
}

// Invariant (3) of GateSession.
TEST_F(GateSessionTest, RefusedSetChargesNoOther) {
  Use({Descriptor("user", "1/h"), Descriptor("ip", "9/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}}}).allowed());
  EXPECT_FALSE(Decide({{{"ip", "1"}}, {{"user", "42"}}}).allowed());
  EXPECT_EQ(Remaining({"ip", "1"}), 9);
}

// Invariant (1) of GateSession.
TEST_F(GateSessionTest, RefundsTakeEffectFirstAndInAnyCase) {
  Use({Descriptor("user", "5/h"), Descriptor("ip", "1/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}, 5}, {{"ip", "1"}}}).allowed());
  EXPECT_FALSE(Decide({{{"ip", "1"}}, {{"user", "42"}, 3, Purpose::kGiveBack}}).allowed());
  EXPECT_EQ(Remaining({"user", "42"}), 3);
  EXPECT_TRUE(Decide({{{"user", "42"}, 4}, {{"user", "42"}, 1, Purpose::kGiveBack}}).allowed());
  EXPECT_EQ(Remaining({"user", "42"}), 0);
}

TEST_F(GateSessionTest, ForgottenKeyIsAsIfNeverUsed) {
  Use({Descriptor("user", "5/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}, 5}}).allowed());
  EXPECT_TRUE(Decide({{{"user", "42"}, 1, Purpose::kForget}}).allowed());
  EXPECT_EQ(Remaining({"user", "42"}), 5);
}

// Invariant (2) of GateSession.
TEST_F(GateSessionTest, LookThatRefusesRefusesTheRequest) {
  Use({Descriptor("user", "1/h"), Descriptor("ip", "9/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}, 1, Purpose::kLook}, {{"ip", "1"}}}).allowed());
  EXPECT_EQ(Remaining({"user", "42"}), 1);
  EXPECT_EQ(Remaining({"ip", "1"}), 8);
  EXPECT_TRUE(Decide({{{"user", "42"}}}).allowed());
  EXPECT_FALSE(Decide({{{"user", "42"}, 1, Purpose::kLook}, {{"ip", "1"}}}).allowed());
  EXPECT_EQ(verdict_.decisions()[1].decision.remaining, 8);
  EXPECT_EQ(Remaining({"ip", "1"}), 8);
}

// Invariant (2) of GateSession.
TEST_F(GateSessionTest, DecidesChargesOfOneKeyTogetherIfALookRefuses) {
  Use({Descriptor("user", "1/h"), Descriptor("ip", "4/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}}, {{"ip", "1"}}}).allowed());
  const Set look{{"user", "42"}, 1, Purpose::kLook};
  EXPECT_FALSE(Decide({look, {{"ip", "1"}, 2}, {{"ip", "1"}, 2}}).allowed());
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kRefused);
  EXPECT_EQ(verdict_.decisions()[2].decision.retry_after, minutes{15});
  EXPECT_FALSE(Decide({look, {{"ip", "1"}, 2}, {{"ip", "1"}, 1}}).allowed());
  EXPECT_EQ(verdict_.sets()[1].kind, VerdictKind::kAllowed);
  EXPECT_FALSE(Decide({look, {{"ip", "1"}, 3}, {{"ip", "1"}, 2}}).allowed());
  EXPECT_EQ(verdict_.retry_after(), kNever);
  EXPECT_EQ(Remaining({"ip", "1"}), 3);
}

TEST_F(GateSessionTest, OneQuotaLimitMustPassWhetherTakenOrLookedAt) {
  Use({Quota(Descriptor("a", "1/h")), Quota(Descriptor("b", "3/h"))});
  EXPECT_TRUE(Decide({{{"a", ""}}, {{"b", ""}}}).allowed());
  EXPECT_TRUE(Decide({{{"a", ""}}, {{"b", ""}}}).allowed());
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kRefused);
  EXPECT_TRUE(Decide({{{"a", ""}}, {{"b", ""}, 1, Purpose::kLook}}).allowed());
  EXPECT_TRUE(Decide({{{"a", ""}, 1, Purpose::kLook}, {{"b", ""}}}).allowed());
  clock_.Advance(minutes{1});
  EXPECT_FALSE(Decide({{{"a", ""}}, {{"b", ""}, 1, Purpose::kLook}}).allowed());
  EXPECT_FALSE(Decide({{{"a", ""}, 1, Purpose::kLook}, {{"b", ""}}}).allowed());
  EXPECT_FALSE(Decide({{{"a", ""}, 1, Purpose::kLook}}).allowed());
  // One is enough, so the first to pass counts.
  EXPECT_FALSE(Decide({{{"a", ""}}, {{"b", ""}}}).allowed());
  EXPECT_EQ(verdict_.retry_after(), minutes{19});
}

TEST_F(GateSessionTest, DeniedSetDeniesTheRequestAndTakesNothing) {
  Use({Descriptor("user", "5/h")},
      {Gatekeeper(RuleAction::kDeny, "banned"), Gatekeeper(RuleAction::kAllow, "staff")});
  EXPECT_EQ(Decide({{{"user", "42"}}, {{"staff", ""}}, {{"banned", ""}}}).kind(),
            VerdictKind::kDenied);
  EXPECT_EQ(verdict_.decided_by()->name, "banned");
  EXPECT_EQ(verdict_.retry_after(), kNever);
  EXPECT_EQ(Remaining({"user", "42"}), 5);
  EXPECT_TRUE(Decide({{{"user", "42"}}, {{"staff", ""}}}).allowed());
  EXPECT_EQ(verdict_.decided_by()->name, "staff");
  EXPECT_EQ(Remaining({"user", "42"}), 4);
}

// Invariant (1) of GateSession.
TEST_F(GateSessionTest, DeniedSetDoesNotPreventRefunds) {
  Use({Descriptor("user", "5/h")}, {Gatekeeper(RuleAction::kDeny, "banned")});
  EXPECT_TRUE(Decide({{{"user", "42"}, 5}}).allowed());
  EXPECT_EQ(Decide({{{"user", "42"}, 2, Purpose::kGiveBack}, {{"banned", ""}}}).kind(),
            VerdictKind::kDenied);
  EXPECT_EQ(Remaining({"user", "42"}), 2);
}

// Invariant (1) of GateSession.
TEST_F(GateSessionTest, BadRequestChangesNothing) {
  RuleSpec rule = Debt("tokens", "9/h");
  rule.cost = CostSpec{std::string("tokens")};
  Use({Descriptor("user", "5/h")}, {rule});
  EXPECT_TRUE(Decide({{{"user", "42"}, 5}}).allowed());
  EXPECT_EQ(Decide({{{"tokens", "3"}}, {{"user", "42"}, 2, Purpose::kGiveBack}, {{"tokens", "x"}}})
                .kind(),
            VerdictKind::kBadRequest);
  EXPECT_EQ(Remaining({"user", "42"}), 0);
  EXPECT_EQ(Remaining({"tokens", "1"}), 9);
}

TEST_F(GateSessionTest, BadCostDeniesItsSetIfErrorsWouldPass) {
  bad_cost_ = BadCost::kDenied;
  RuleSpec rule = Gatekeeper(RuleAction::kLimit, "tokens");
  rule.limits.push_back({"h", ParseLimit("9/h", {}).value(), {}});
  rule.cost = CostSpec{std::string("tokens")};
  Use({Descriptor("user", "5/h")}, {rule, Debt("debt", "9/h")});
  EXPECT_EQ(Decide({{{"tokens", "3"}}, {{"user", "42"}}, {{"tokens", "x"}}, {{"debt", ""}}}).kind(),
            VerdictKind::kDenied);
  EXPECT_EQ(verdict_.retry_after(), kNever);
  ASSERT_EQ(verdict_.sets().size(), 4U);
  EXPECT_EQ(verdict_.sets()[0].kind, VerdictKind::kAllowed);
  EXPECT_EQ(verdict_.sets()[0].bad_cost, nullptr);
  EXPECT_EQ(verdict_.sets()[2].kind, VerdictKind::kDenied);
  ASSERT_NE(verdict_.sets()[2].bad_cost, nullptr);
  EXPECT_EQ(verdict_.sets()[2].bad_cost->name, "tokens");
  EXPECT_EQ(Remaining({"user", "42"}), 5);
  EXPECT_EQ(Remaining({"tokens", "1"}), 9);
  EXPECT_EQ(Remaining({"debt", ""}), 8) << "a debt is charged in any case";
  EXPECT_TRUE(Decide({{{"tokens", "x"}, 1, Purpose::kGiveBack}}).allowed());
  EXPECT_EQ(Remaining({"tokens", "1"}), 9);
}

// Invariant (3) of GateSession.
TEST_F(GateSessionTest, TakesDebtBelowZeroUntilPaidBack) {
  Use({}, {Debt("tokens", "60/h")});
  EXPECT_TRUE(Decide({{{"tokens", ""}, 50}}).allowed());
  EXPECT_TRUE(Decide({{{"tokens", ""}, 40}}).allowed());
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 0);
  EXPECT_FALSE(Decide({{{"tokens", ""}, 1, Purpose::kLook}}).allowed());
  EXPECT_EQ(verdict_.retry_after(), minutes{31});
  // Even then it refuses no charge.
  EXPECT_TRUE(Decide({{{"tokens", ""}, 1}}).allowed());
  clock_.Advance(minutes{32});
  EXPECT_TRUE(Decide({{{"tokens", ""}, 1, Purpose::kLook}}).allowed());
}

// Invariant (3) of GateSession.
TEST_F(GateSessionTest, LookAtADebtIgnoresTheCost) {
  Use({}, {Debt("tokens", "1000/m")});
  EXPECT_TRUE(Decide({{{"tokens", ""}, 5000, Purpose::kLook}}).allowed());
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 1000);
  EXPECT_TRUE(Decide({{{"tokens", ""}, 5000}}).allowed());
  EXPECT_FALSE(Decide({{{"tokens", ""}, 5000, Purpose::kLook}}).allowed());
  EXPECT_NE(verdict_.retry_after(), kNever);
  EXPECT_TRUE(Decide({{{"tokens", ""}, 0, Purpose::kLook}}).allowed());
}

// Invariant (3) of GateSession.
TEST_F(GateSessionTest, TakesDebtEvenIfOtherSetsAreRefused) {
  Use({Descriptor("user", "1/h")},
      {Gatekeeper(RuleAction::kDeny, "banned"), Debt("tokens", "100/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}}}).allowed());
  EXPECT_EQ(Decide({{{"user", "42"}}, {{"tokens", ""}, 10}}).kind(), VerdictKind::kRefused);
  EXPECT_EQ(Remaining({"tokens", ""}), 90);
  EXPECT_EQ(Decide({{{"banned", ""}}, {{"tokens", ""}, 10}, {{"user", "43"}}}).kind(),
            VerdictKind::kDenied);
  EXPECT_EQ(verdict_.decisions().size(), 1U);
  EXPECT_EQ(Remaining({"tokens", ""}), 80);
  EXPECT_EQ(Decide({{{"user", "42"}, 1, Purpose::kLook}, {{"tokens", ""}, 10}}).kind(),
            VerdictKind::kRefused);
  EXPECT_EQ(Remaining({"tokens", ""}), 70);
  EXPECT_EQ(Remaining({"user", "43"}), 1);
}

// Invariant (4) of GateSession.
TEST_F(GateSessionTest, OverrideReplacesTheDescriptors) {
  DescriptorSpec shadow = Descriptor("user", "1/h");
  shadow.shadow_mode = true;
  Use({shadow});
  const auto ask = [this](std::uint32_t count, std::int64_t cost) -> const Decision& {
    return Decide({{{"user", "42"}, cost, Purpose::kTake, LimitOverride{count, Period::kHour}}})
        .decisions()[0]
        .decision;
  };
  EXPECT_EQ(ask(3, 2).remaining, 1);
  EXPECT_EQ(ask(3, 2).limit, 3);
  EXPECT_FALSE(verdict_.allowed());
  EXPECT_EQ(verdict_.retry_after(), hours{1});
  EXPECT_EQ(verdict_.decisions().size(), 1U);
  // Used units carry over to another count.
  EXPECT_EQ(ask(5, 2).remaining, 1);
  EXPECT_FALSE(ask(3, 1).allowed);
  EXPECT_EQ(ask(3, 1).remaining, 0);
  EXPECT_EQ(ask(3, 4).retry_after, kNever);
  EXPECT_EQ(ask(0, 1).retry_after, kNever);
  EXPECT_EQ(ask(4'294'967'295, 1).remaining, 4'294'967'290);
  // A cost of 0 passes.
  EXPECT_TRUE(ask(0, 0).allowed);
  EXPECT_TRUE(ask(3, 0).allowed);
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 0);
  const LimitOverride none{0, Period::kHour};
  EXPECT_TRUE(Decide({{{"user", "42"}, 0, Purpose::kLook, none}}).allowed());
  // The rule's own limit was not charged.
  EXPECT_EQ(Remaining({"user", "42"}), 1);
}

TEST_F(GateSessionTest, OverrideNeedsNoRuleAndKnowsItsPeriod) {
  Use({});
  const Attribute user{"user", "42"};
  for (const auto& [period, length] :
       std::vector<std::pair<Period, Nanos>>{{Period::kSecond, seconds{1}},
                                             {Period::kMinute, minutes{1}},
                                             {Period::kHour, hours{1}},
                                             {Period::kDay, hours{24}},
                                             {Period::kWeek, hours{24 * 7}}}) {
    EXPECT_TRUE(Decide({{user, 1, Purpose::kTake, LimitOverride{1, period}}}).allowed());
    EXPECT_FALSE(Decide({{user, 1, Purpose::kTake, LimitOverride{1, period}}}).allowed());
    EXPECT_EQ(verdict_.retry_after(), length);
    EXPECT_FALSE(Decide({{user, 1, Purpose::kLook, LimitOverride{1, period}}}).allowed());
    EXPECT_TRUE(Decide({{user, 1, Purpose::kGiveBack, LimitOverride{1, period}}}).allowed());
    EXPECT_TRUE(Decide({{user, 1, Purpose::kLook, LimitOverride{1, period}}}).allowed());
  }
}

// Invariant (4) of GateSession.
TEST_F(GateSessionTest, OverrideNeitherReplacesNorIsReplaced) {
  DescriptorSpec general = Descriptor("a", "1/h");
  general.limit_name = "general";
  DescriptorSpec special = Descriptor("b", "9/h");
  special.replaces.push_back({"general", {}});
  Use({general, special});
  const LimitOverride none{0, Period::kHour};
  EXPECT_TRUE(Decide({{{"a", ""}}}).allowed());
  EXPECT_TRUE(Decide({{{"a", ""}}, {{"b", ""}}}).allowed());
  EXPECT_FALSE(Decide({{{"a", ""}, 1, Purpose::kTake, none}, {{"b", ""}}}).allowed());
  const LimitOverride one{1, Period::kHour};
  EXPECT_FALSE(Decide({{{"a", ""}}, {{"b", ""}, 1, Purpose::kTake, one}}).allowed());
  EXPECT_EQ(verdict_.sets()[1].node, nullptr);
}

TEST_F(GateSessionTest, RejectsMoreChargesThanARequestCanHave) {
  Use({Descriptor("user", "100/h")});
  EXPECT_TRUE(Decide(std::vector<Set>(64, Set{{"user", "42"}})).allowed());
  EXPECT_EQ(Decide(std::vector<Set>(65, Set{{"user", "42"}})).kind(), VerdictKind::kBadRequest);
  EXPECT_FALSE(verdict_.fault().empty());
  EXPECT_TRUE(verdict_.sets().empty());
}

// Invariant (5) of GateSession.
TEST_F(GateSessionTest, AllowsMoreRefundsLooksAndResetsThanCharges) {
  Use({Descriptor("user", "100/h")});
  EXPECT_TRUE(Decide({{{"user", "42"}, 100}}).allowed());
  EXPECT_TRUE(Decide(std::vector<Set>(65, Set{{"user", "42"}, 1, Purpose::kGiveBack})).allowed());
  EXPECT_EQ(Remaining({"user", "42"}), 65);
  EXPECT_TRUE(Decide(std::vector<Set>(1024, Set{{"user", "42"}, 1, Purpose::kLook})).allowed());
  EXPECT_EQ(verdict_.decisions().size(), 1024U);
  EXPECT_TRUE(Decide(std::vector<Set>(65, Set{{"user", "42"}, 1, Purpose::kForget})).allowed());
}

// Invariant (5) of GateSession.
TEST_F(GateSessionTest, RejectsMoreSetsThanARequestCanHave) {
  Use({Descriptor("user", "100/h")});
  EXPECT_TRUE(Decide(std::vector<Set>(1024, Set{{"other", "42"}})).allowed());
  EXPECT_EQ(Decide(std::vector<Set>(1025, Set{{"other", "42"}})).kind(), VerdictKind::kBadRequest);
}

// Invariant (5) of GateSession. Each look is at three limits.
TEST_F(GateSessionTest, RejectsMoreDecisionsThanARequestCanHave) {
  RuleSpec rule;
  rule.name = "all";
  for (const char* const name : {"a", "b", "c"}) {
    rule.limits.push_back({name, ParseLimit("9/h", {}).value(), {}});
  }
  Use({}, {rule});
  EXPECT_TRUE(Decide(std::vector<Set>(341, Set{{"ip", "1"}, 1, Purpose::kLook})).allowed());
  EXPECT_EQ(Decide(std::vector<Set>(342, Set{{"ip", "1"}, 1, Purpose::kLook})).kind(),
            VerdictKind::kBadRequest);
}

// Invariant (5) of GateSession.
TEST_F(GateSessionTest, FreesTheMemoryOfAGiantRequest) {
  Use({Descriptor("user", "100/h")});
  Decide(std::vector<Set>(64, Set{{"user", "42"}}));
  const std::size_t usual = session_.BytesKeptForTest();
  const std::string giant(100'000, 'x');
  const Attribute user{"user", giant};
  Decide(std::vector<Set>(100, Set{user, 1, Purpose::kLook}));
  Decide({{user, 1, Purpose::kLook, LimitOverride{1, Period::kHour}}});
  Decide(std::vector<Set>(100'000, Set{user}));
  EXPECT_LE(session_.BytesKeptForTest(), usual + 64);
}

}  // namespace
}  // namespace sluice::testing
