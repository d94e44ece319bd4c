#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "gate/gate_session.h"
#include "support/fake_clock.h"

namespace sluice::testing {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

RuleSpec Rule(const std::string& name, const std::string& limit) {
  RuleSpec rule;
  rule.name = name;
  rule.per.push_back({{"user"}, {}});
  rule.limits.push_back({"h", ParseLimit(limit, {}).value(), {}});
  return rule;
}

RuleSpec Only(RuleSpec rule, const std::string& path) {
  rule.match.push_back({"path", {.texts = {path}, .origin = {}}});
  return rule;
}

RuleSpec In(RuleMode mode, RuleSpec rule) {
  rule.mode = mode;
  return rule;
}

class GateTest : public ::testing::Test {
 protected:
  GateTest() : store_(MemoryStore::Create({.seed = {1, 2}}).value()), gate_(*store_, clock_) {}

  static std::shared_ptr<const RuleSet> RulesOf(std::vector<RuleSpec> rules) {
    DomainSpec domain;
    domain.name = "api";
    domain.rules = std::move(rules);
    RuleSetSpec spec;
    spec.domains.push_back(std::move(domain));
    return RuleSet::Make(std::move(spec));
  }

  void Use(std::vector<RuleSpec> rules) { ASSERT_TRUE(gate_.Use(RulesOf(std::move(rules))).ok()); }

  // Adds other limits until there is room for `left` more.
  void FillStore(std::uint32_t left) {
    const Limit limit = ParseLimit("1/h", {}).value();
    LimitHandle last;
    for (int i = 0; last.index + 1 + left < MemoryStore::kMaxLimits; ++i) {
      last = store_->Add(std::to_string(i), limit, clock_.Now()).value();
    }
  }

  const Verdict& Check(const std::string& path, std::int64_t cost = 1) {
    const std::vector<Attribute> attributes = {{"user", "42"}, {"path", path}};
    const AttributeSet set{attributes, Cost{cost}};
    session_.Decide({"api", {&set, 1}}, verdict_);
    return verdict_;
  }
  const Verdict& Peek(const std::string& path) {
    const std::vector<Attribute> attributes = {{"user", "42"}, {"path", path}};
    const AttributeSet set{attributes, Cost{1}, Purpose::kLook};
    session_.Decide({"api", {&set, 1}}, verdict_);
    return verdict_;
  }

  FakeClock clock_;
  std::unique_ptr<MemoryStore> store_;
  Gate gate_;
  GateSession session_{gate_};
  Verdict verdict_;
};

TEST_F(GateTest, DomainWithoutRulesIsUnknown) {
  EXPECT_EQ(Check("/").kind(), VerdictKind::kUnknownDomain);
  Use({Rule("all", "2/h")});
  session_.Decide({"other", {}}, verdict_);
  EXPECT_EQ(verdict_.kind(), VerdictKind::kUnknownDomain);
}

TEST_F(GateTest, AllowsRequestThatNoRuleAppliesTo) {
  Use({Only(Rule("posts", "2/h"), "/posts")});
  EXPECT_TRUE(Check("/likes").allowed());
  EXPECT_TRUE(verdict_.decisions().empty());
  EXPECT_EQ(verdict_.nearest(), nullptr);
}

TEST_F(GateTest, RefusalReportsTheLimitAndWhenToRetry) {
  Use({Rule("all", "2/h")});
  EXPECT_TRUE(Check("/").allowed());
  EXPECT_TRUE(Check("/").allowed());
  EXPECT_EQ(Check("/").kind(), VerdictKind::kRefused);
  ASSERT_NE(verdict_.nearest(), nullptr);
  EXPECT_EQ(verdict_.nearest()->limit->rule, "all");
  EXPECT_EQ(verdict_.nearest()->limit->id, "api/rules/all/h");
  EXPECT_EQ(verdict_.retry_after(), minutes{30});
  clock_.Advance(minutes{30});
  EXPECT_TRUE(Check("/").allowed());
}

// Invariant (1) of Verdict.
TEST_F(GateTest, RefusedRequestIsChargedNowhere) {
  Use({Rule("all", "10/h"), Only(Rule("posts", "1/h"), "/posts")});
  EXPECT_TRUE(Check("/posts").allowed());
  EXPECT_FALSE(Check("/posts").allowed());
  ASSERT_EQ(verdict_.decisions().size(), 2U);
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 9);
  EXPECT_EQ(Peek("/").decisions()[0].decision.remaining, 9);
}

TEST_F(GateTest, ShadowLimitIsChargedAndNeverRefuses) {
  Use({In(RuleMode::kShadow, Rule("tight", "1/h")), Rule("all", "10/h")});
  EXPECT_TRUE(Check("/").allowed());
  EXPECT_TRUE(Check("/").allowed());
  EXPECT_FALSE(verdict_.decisions()[0].decision.allowed);
  EXPECT_EQ(verdict_.nearest()->limit->rule, "all");
  EXPECT_EQ(verdict_.retry_after(), Nanos{0});
}

TEST_F(GateTest, AllowAndDenyDecideBeforeAnyLimit) {
  RuleSpec deny = Only(RuleSpec{}, "/admin");
  deny.name = "no admin";
  deny.action = RuleAction::kDeny;
  RuleSpec allow = Only(RuleSpec{}, "/health");
  allow.name = "health";
  allow.action = RuleAction::kAllow;
  Use({Rule("all", "1/h"), allow, deny});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Check("/health").allowed());
  EXPECT_EQ(verdict_.decided_by()->name, "health");
  EXPECT_EQ(Check("/admin").kind(), VerdictKind::kDenied);
  EXPECT_EQ(verdict_.decided_by()->name, "no admin");
  EXPECT_EQ(verdict_.retry_after(), kNever);
  EXPECT_TRUE(Check("/").allowed());
}

// Invariant (1) of Gate.
TEST_F(GateTest, CarriesUsedUnitsOverToChangedTerms) {
  Use({Rule("all", "2/h")});
  EXPECT_TRUE(Check("/", 2).allowed());
  Use({Rule("all", "4/h"), Only(Rule("new", "1/h"), "/posts")});
  EXPECT_EQ(Peek("/").decisions()[0].decision.remaining, 2);
  EXPECT_TRUE(Check("/", 2).allowed());
  EXPECT_FALSE(Check("/").allowed());
}

TEST_F(GateTest, LimitThatReturnsFindsItsStates) {
  Use({Rule("all", "2/h")});
  EXPECT_TRUE(Check("/", 2).allowed());
  Use({Rule("other", "2/h")});
  EXPECT_TRUE(Check("/").allowed());
  Use({Rule("all", "2/h")});
  EXPECT_FALSE(Check("/").allowed());
}

TEST_F(GateTest, AnotherAlgorithmIsAnotherLimit) {
  Use({Rule("all", "2/h")});
  EXPECT_TRUE(Check("/", 2).allowed());
  RuleSpec window = Rule("all", "2/h");
  LimitSpec spec = window.limits[0].limit.spec;
  spec.algorithm = Algorithm::kSlidingWindow;
  window.limits[0].limit = std::get<Limit>(MakeLimit(spec, {}));
  Use({window});
  EXPECT_TRUE(Check("/").allowed());
  Use({Rule("all", "2/h")});
  EXPECT_FALSE(Check("/").allowed());
}

// Invariant (2) of Gate. The terms of a pacer last for a hundred years, and there can be 255.
TEST_F(GateTest, RejectedRuleSetChangesNothing) {
  const auto pacer = [](int rate) {
    RuleSpec rule = Rule("pacer", "1/h");
    LimitSpec spec;
    spec.algorithm = Algorithm::kPacer;
    spec.rate = Rate{rate, hours{1}};
    rule.limits[0].limit = std::get<Limit>(MakeLimit(spec, {}));
    return rule;
  };
  for (int i = 1; i <= 255; ++i) Use({Rule("all", "1/h"), pacer(i)});
  EXPECT_FALSE(gate_.Use(RulesOf({Rule("all", "1000/h"), pacer(256)})).ok());
  EXPECT_EQ(Peek("/").decisions()[0].decision.limit, 1);
}

// Invariant (2) of Gate.
TEST_F(GateTest, RejectedRuleSetKeepsUsedUnits) {
  Use({Rule("all", "100/h")});
  EXPECT_TRUE(Check("/", 100).allowed());
  FillStore(0);
  EXPECT_FALSE(gate_.Use(RulesOf({Rule("all", "1/h"), Rule("new", "1/h")})).ok());
  EXPECT_EQ(Peek("/").decisions()[0].decision.limit, 100);
  EXPECT_EQ(verdict_.decisions()[0].decision.remaining, 0);
}

TEST_F(GateTest, RejectedRuleSetCanBeRetried) {
  FillStore(3);
  const Result<Done> first = gate_.Use(RulesOf({Rule("all", "1/h")}));
  const Result<Done> second = gate_.Use(RulesOf({Rule("all", "1/h")}));
  ASSERT_FALSE(first.ok() || second.ok());
  EXPECT_EQ(first.error().message, second.error().message);
}

TEST_F(GateTest, ShadowRuleRefusesNothingWhateverItsCost) {
  RuleSpec rule = In(RuleMode::kShadow, Rule("all", "2/h"));
  rule.cost = CostSpec{std::string("path")};
  Use({rule});
  EXPECT_TRUE(Check("two").allowed());
}

TEST_F(GateTest, VerdictOutlivesItsRules) {
  Use({Rule("all", "2/h")});
  Verdict kept = Check("/");
  Use({Rule("other", "2/h")});
  Check("/");
  clock_.Advance(hours{1});
  EXPECT_EQ(kept.nearest()->limit->rule, "all");
  EXPECT_EQ(kept.nearest()->rule->name, "all");
}

TEST_F(GateTest, RejectsCostThatIsNoNumber) {
  RuleSpec rule = Rule("all", "2/h");
  rule.cost = CostSpec{std::string("path")};
  Use({rule});
  EXPECT_EQ(Check("two").kind(), VerdictKind::kBadRequest);
  EXPECT_EQ(verdict_.decided_by()->name, "all");
  EXPECT_FALSE(verdict_.fault().empty());
  EXPECT_TRUE(Check("2").allowed());
  EXPECT_FALSE(Check("1").allowed());
}

}  // namespace
}  // namespace sluice::testing
