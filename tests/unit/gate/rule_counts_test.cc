#include "gate/rule_counts.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

RuleSpec When(const std::string& attribute, const std::string& value, RuleSpec rule) {
  rule.match.push_back({attribute, {.texts = {value}, .origin = {}}});
  return rule;
}

class RuleCountsTest : public GateFixture {
 protected:
  // Returns "allowed refused shadow_refused failed units" for these labels, or "none".
  std::string Counts(const RuleLabels& labels) {
    const RuleSums sums = gate_.counts().SumApprox();
    const auto number = sums.series->Find(labels);
    if (!number) return "none";
    const RuleTotals& totals = sums.totals[*number];
    return Concat(totals.decisions[0], " ", totals.decisions[1], " ", totals.decisions[2], " ",
                  totals.decisions[3], " ", totals.units);
  }
  std::string Counts(const std::string& rule, const std::string& limit = "m") {
    return Counts(RuleLabels{"api", rule, limit});
  }
  void Ask(Purpose purpose, std::vector<Attribute> attributes = {}, Cost cost = {1}) {
    const AttributeSet set{attributes, cost, purpose};
    session_.Decide({"api", {&set, 1}}, verdict_);
  }
};

// Invariant (6) of GateSession.
TEST_F(RuleCountsTest, CountsEveryDecisionByItsOwnResult) {
  Use({Rule("small", "2/m"), Rule("large", "100/m"), Shadow(Rule("quiet", "1/m"))});
  for (int i = 0; i < 3; ++i) Check();
  EXPECT_EQ(Counts("small"), "2 1 0 0 2");
  // The third check would have passed this limit, but took nothing.
  EXPECT_EQ(Counts("large"), "3 0 0 0 2");
  EXPECT_EQ(Counts("quiet"), "1 0 2 0 1");
}

// Invariant (6) of GateSession.
TEST_F(RuleCountsTest, CountsLooksButNotRefundsAndResets) {
  Use({Rule("small", "1/m")});
  Ask(Purpose::kLook);
  EXPECT_EQ(Counts("small"), "1 0 0 0 0");
  Ask(Purpose::kTake);
  Ask(Purpose::kLook);
  EXPECT_EQ(Counts("small"), "2 1 0 0 1");
  Ask(Purpose::kGiveBack);
  Ask(Purpose::kForget);
  EXPECT_EQ(Counts("small"), "2 1 0 0 1");
}

TEST_F(RuleCountsTest, CountsTheCostOfTakenCharges) {
  RuleSpec debt = Rule("debt", "1/m");
  debt.debt = true;
  Use({Rule("small", "10/m"), debt});
  Check(7);
  Check(7);
  EXPECT_EQ(Counts("small"), "1 1 0 0 7");
  EXPECT_EQ(Counts("debt"), "2 0 0 0 14");
}

TEST_F(RuleCountsTest, CountsRulesThatAllowOrDeny) {
  RuleSpec office = Deny("office");
  office.action = RuleAction::kAllow;
  Use({When("ip", "1", office), When("ip", "2", Deny("blocked")), Rule("all", "9/m")});
  Check(1, {{"ip", "1"}});
  Check(1, {{"ip", "2"}});
  Check(1, {{"ip", "2"}});
  Ask(Purpose::kGiveBack, {{"ip", "2"}});
  EXPECT_EQ(Counts("office", ""), "1 0 0 0 0");
  EXPECT_EQ(Counts("blocked", ""), "0 2 0 0 0");
  EXPECT_EQ(Counts("all"), "0 0 0 0 0");
}

TEST_F(RuleCountsTest, CountsUnmatchedRequestsPerDomain) {
  Use({When("path", "/a", Rule("a", "9/m"))}, {Descriptor("user", "9/m")});
  Check(1, {{"path", "/b"}});
  Check(1, {{"path", "/a"}});
  Check(1, {{"user", "42"}});
  EXPECT_EQ(Counts("", ""), "1 0 0 0 0");
}

TEST_F(RuleCountsTest, CountsCostThatIsNoNumberAsFailed) {
  RuleSpec rule = Rule("tokens", "9/m");
  rule.cost = "tokens";
  Use({rule});
  EXPECT_EQ(Check(1, {{"tokens", "many"}}).kind(), VerdictKind::kBadRequest);
  Check(1, {{"tokens", "4"}});
  EXPECT_EQ(Counts("tokens", ""), "0 0 0 1 0");
  EXPECT_EQ(Counts("tokens"), "1 0 0 0 4");
}

TEST_F(RuleCountsTest, CountsOverridesByPeriod) {
  Use({}, {Descriptor("user", "9/m")});
  const Attribute user{"user", "42"};
  const AttributeSet set{{&user, 1}, {1}, Purpose::kTake, LimitOverride{1}};
  for (int i = 0; i < 2; ++i) session_.Decide({"api", {&set, 1}}, verdict_);
  EXPECT_EQ(Counts({"", "override", "second"}), "1 1 0 0 1");
  EXPECT_EQ(Counts("user", ""), "0 0 0 0 0");
}

TEST_F(RuleCountsTest, SeparatesLimitsOfPlans) {
  DomainSpec domain;
  domain.name = "api";
  domain.plans = {{"free", {{"s", LimitOf("1/s"), {}}}, {}},
                  {"pro", {{"s", LimitOf("9/s"), {}}}, {}}};
  RuleSpec rule;
  rule.name = "plan";
  rule.plan = PlanChoiceSpec{"plan", "free", {}};
  domain.rules = {rule};
  RuleSetSpec spec;
  spec.domains.push_back(std::move(domain));
  ASSERT_TRUE(gate_.Use(RuleSet::Make(std::move(spec))).ok());
  Check(1, {{"plan", "pro"}});
  Check(1, {{"plan", "what?"}});
  Check(1);
  EXPECT_EQ(Counts("plan", "free/s"), "1 1 0 0 1");
  EXPECT_EQ(Counts("plan", "pro/s"), "1 0 0 0 1");
}

// Invariant (1) of RuleCounts.
TEST_F(RuleCountsTest, CountsContinueWhileARuleKeepsItsName) {
  Use({Rule("first", "2/m"), Rule("kept", "9/m")});
  Check();
  // Another position in the file, other terms and another algorithm are the same rule.
  LimitSpec window;
  window.algorithm = Algorithm::kSlidingWindow;
  window.rate = Rate{3, std::chrono::minutes{1}};
  Use({Rule("kept", LimitOf(window)), Rule("new", "9/m")});
  EXPECT_EQ(Counts("kept"), "1 0 0 0 1");
  Check();
  EXPECT_EQ(Counts("kept"), "2 0 0 0 2");
  EXPECT_EQ(Counts("new"), "1 0 0 0 1");
  EXPECT_EQ(Counts("first"), "none");
}

// Invariant (1) of RuleCounts.
TEST_F(RuleCountsTest, IncludesSessionsThatHaveNotSeenTheNewRules) {
  Use({Rule("first", "9/m"), Rule("kept", "9/m")});
  GateSession idle(gate_);
  const AttributeSet set;
  idle.Decide({"api", {&set, 1}}, verdict_);
  Check();
  Use({Rule("kept", "8/m")});
  Check();
  EXPECT_EQ(Counts("kept"), "3 0 0 0 3");
  Use({Rule("kept", "7/m"), Rule("first", "9/m")});
  EXPECT_EQ(Counts("kept"), "3 0 0 0 3");
  idle.Decide({"api", {&set, 1}}, verdict_);
  EXPECT_EQ(Counts("kept"), "4 0 0 0 4");
}

TEST_F(RuleCountsTest, KeepsCountsOfADestroyedSession) {
  Use({Rule("kept", "9/m")});
  {
    GateSession passing(gate_);
    const AttributeSet set;
    passing.Decide({"api", {&set, 1}}, verdict_);
  }
  EXPECT_EQ(Counts("kept"), "1 0 0 0 1");
}

// Invariant (1) of RuleSeries.
TEST_F(RuleCountsTest, CountsDescriptorsOfTheSameNameTogether) {
  DescriptorSpec valued = Descriptor("a", "9/m");
  valued.value = "b";
  Use({}, {valued, Descriptor("a_b", "9/m")});
  Check(1, {{"a", "b"}});
  Check(1, {{"a_b", "x"}});
  EXPECT_EQ(Counts("a_b", ""), "2 0 0 0 2");
}

// Invariant (2) of RuleSeries.
TEST_F(RuleCountsTest, CountsRulesBeyondTheMaximumTogether) {
  std::vector<DescriptorSpec> descriptors;
  for (std::size_t i = 0; i < RuleSeries::kMax + 5; ++i) {
    descriptors.push_back(Descriptor(Concat("key", i), "9/m"));
  }
  Use({}, std::move(descriptors));
  EXPECT_EQ(gate_.counts().SumApprox().totals.size(), RuleSeries::kMax);
  Check(1, {{"key0", "x"}});
  const std::string last = Concat("key", RuleSeries::kMax + 4);
  Check(1, {{last, "x"}});
  Check(1, {{last, "y"}});
  EXPECT_EQ(Counts("key0", ""), "1 0 0 0 1");
  EXPECT_EQ(Counts(last, ""), "none");
  EXPECT_EQ(Counts({"", "others", ""}), "2 0 0 0 2");
}

TEST_F(RuleCountsTest, RequestsCreateNoSeries) {
  Use({Rule("all", "1000/m")}, {Descriptor("user", "9/m")});
  const std::size_t before = gate_.counts().SumApprox().totals.size();
  for (int i = 0; i < 100; ++i) {
    const std::string value = std::to_string(i);
    Check(1, {{"user", value}});
    CheckIn(value, 1, {{value, value}});
  }
  EXPECT_EQ(gate_.counts().SumApprox().totals.size(), before);
}

TEST_F(RuleCountsTest, CountsWhileRulesChangeAndOthersRead) {
  constexpr int kThreads = 4;
  constexpr int kChecks = 2000;
  Use({Rule("all", "1000000/m")});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this] {
      GateSession session(gate_);
      Verdict verdict;
      const AttributeSet set;
      for (int j = 0; j < kChecks; ++j) session.Decide({"api", {&set, 1}}, verdict);
    });
  }
  for (int i = 0; i < 50; ++i) {
    std::vector<RuleSpec> rules = {Rule("all", "1000000/m")};
    if (i % 2 == 0) rules.insert(rules.begin(), Shadow(Rule("other", "1/m")));
    Use(std::move(rules));
    EXPECT_FALSE(gate_.counts().SumApprox().totals.empty());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Counts("all"), Concat(kThreads * kChecks, " 0 0 0 ", kThreads * kChecks));
}

TEST(SoleWriterCountTest, SaturatesAtTheLargestNumber) {
  SoleWriterCount count;
  count.Add(std::uint64_t{0} - 2);
  count.Add(1);
  EXPECT_EQ(count.ReadApprox(), std::uint64_t{0} - 1);
  count.Add(5);
  EXPECT_EQ(count.ReadApprox(), std::uint64_t{0} - 1);
}

}  // namespace
}  // namespace sluice::testing
