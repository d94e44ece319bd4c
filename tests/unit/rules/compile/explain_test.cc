#include "rules/compile/explain.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "rules/compile/explain_words.h"
#include "rules/compile/rule_set.h"

namespace sluice::testing {
namespace {

using Attributes = std::vector<Attribute>;
using Texts = std::vector<std::string>;

MatcherSpec Values(Texts texts, bool negated = false) {
  return {.texts = std::move(texts), .negated = negated, .origin = {}};
}

MatcherSpec Kind(MatcherSpec::Kind kind, Texts texts = {}, bool negated = false) {
  return {.kind = kind, .texts = std::move(texts), .negated = negated, .origin = {}};
}

RuleSpec Named(std::string name, std::vector<ConditionSpec> match = {}) {
  RuleSpec rule;
  rule.name = std::move(name);
  rule.match = std::move(match);
  return rule;
}

RuleSpec Decides(RuleAction action, std::string name, std::vector<ConditionSpec> match = {}) {
  RuleSpec rule = Named(std::move(name), std::move(match));
  rule.action = action;
  return rule;
}

RuleSpec Replacing(std::string name, const std::string& replaced) {
  RuleSpec rule = Named(std::move(name));
  rule.replaces.push_back({replaced, {}});
  return rule;
}

RuleSpec Per(RuleSpec rule, std::vector<Texts> parts) {
  for (Texts& part : parts) rule.per.push_back({std::move(part), {}});
  return rule;
}

RuleSetSpec SpecOf(std::vector<RuleSpec> rules) {
  RuleSetSpec spec;
  DomainSpec& domain = spec.domains.emplace_back();
  domain.name = "api";
  domain.rules = std::move(rules);
  return spec;
}

NamedLimit Minute() { return {"m", ParseLimit("10/m", {}).value(), {}}; }

RuleSpec Limited(RuleSpec rule) {
  rule.limits.push_back(Minute());
  return rule;
}

RuleSpec Mode(RuleMode mode, RuleSpec rule) {
  rule.mode = mode;
  return rule;
}

DescriptorSpec Entry(const std::string& key, const std::string& value = "",
                     std::vector<DescriptorSpec> below = {}) {
  DescriptorSpec spec;
  spec.key = key;
  if (!value.empty()) spec.value = value;
  spec.descriptors = std::move(below);
  return spec;
}

DescriptorSpec Limited(DescriptorSpec spec) {
  spec.limit = Minute().limit;
  return spec;
}

class ExplainTest : public ::testing::Test {
 protected:
  void Use(RuleSetSpec spec) {
    rules_ = RuleSet::Make(std::move(spec));
    domain_ = rules_->Find("api");
  }
  void Use(std::vector<RuleSpec> rules) { Use(SpecOf(std::move(rules))); }
  void UseDescriptors(std::vector<DescriptorSpec> descriptors, std::vector<RuleSpec> rules = {}) {
    RuleSetSpec spec = SpecOf(std::move(rules));
    spec.domains[0].descriptors = std::move(descriptors);
    Use(std::move(spec));
  }

  // Returns one line per rule: "rule: word: reason".
  std::string Told(const Attributes& attributes) const {
    std::string text;
    for (const RuleExplanation& why : Explain(*domain_, attributes).rules) {
      text += why.rule->name + ": " + std::string(FateWord(why)) + ": " + Describe(why) + "\n";
    }
    return text;
  }
  std::string ToldOfDescriptor(const Attributes& attributes) const {
    const DescriptorExplanation why = Explain(*domain_, attributes).descriptor;
    return std::string(FateWord(why.outcome)) + ": " + Describe(why, domain_->spec(), attributes);
  }

  std::shared_ptr<const RuleSet> rules_;
  const Domain* domain_ = nullptr;
};

TEST_F(ExplainTest, ShowsKeyOfApplyingRule) {
  Use({Limited(Per(Named("one"), {{"user"}, {"account", "ip"}})), Limited(Named("all"))});
  EXPECT_EQ(Told({{"user", "a b"}, {"ip", "10.0.0.1"}}),
            "one: applies: key: user='a b', ip=10.0.0.1\n"
            "all: applies: key: one for all\n");
}

TEST_F(ExplainTest, ShowsAddressCutToPrefix) {
  RuleSetSpec spec = SpecOf({Limited(Per(Named("one"), {{"client"}}))});
  spec.domains[0].aliases.push_back({"client", "ip", {}});
  spec.domains[0].ip_prefix = {.v4 = 24, .v6 = 64};
  Use(spec);
  EXPECT_EQ(Told({{"ip", "192.0.2.7"}}), "one: applies: key: client=192.0.2.0/24\n");
  EXPECT_EQ(Told({{"ip", "2001:db8::1"}}), "one: applies: key: client=2001:db8::/64\n");
  EXPECT_EQ(Told({{"ip", "unknown"}}), "one: applies: key: client=unknown\n");
}

TEST_F(ExplainTest, ReportsFirstFailedCondition) {
  RuleSetSpec spec = SpecOf({
      Limited(
          Named("posts", {{"method", Values({"POST", "PUT"})}, {"path", Values({"/v1/posts"})}})),
      Limited(Named("not", {{"method", Values({"GET"}, true)}})),
      Limited(Named("regex", {{"path", Kind(MatcherSpec::Kind::kRegex, {"/v[0-9]"})}})),
      Limited(Named("list", {{"ip", Kind(MatcherSpec::Kind::kIn, {"offices"})}})),
      Limited(Named("present", {{"user", Kind(MatcherSpec::Kind::kPresent)}})),
      Limited(Named("absent", {{"path", Kind(MatcherSpec::Kind::kPresent, {}, true)}})),
      Limited(Named("many", {{"path", Values({"1", "2", "3", "4", "5", "6"})}})),
  });
  spec.domains[0].lists.push_back({"offices", {"10.0.0.0/8"}, {}});
  Use(spec);
  EXPECT_EQ(Told({{"method", "GET"}, {"path", "/"}}),
            "posts: no match: method is 'GET'; expected 'POST' or 'PUT'\n"
            "not: no match: method is 'GET'; expected anything but 'GET'\n"
            "regex: no match: path is '/'; expected a match of '/v[0-9]'\n"
            "list: no match: ip is missing; expected one of the list 'offices'\n"
            "present: no match: user is missing; expected any\n"
            "absent: no match: path is '/'; expected none\n"
            "many: no match: path is '/'; expected '1', '2', '3', '4' or 2 more\n");
}

TEST_F(ExplainTest, ReportsMissingKeyPart) {
  Use({Limited(Per(Named("one"), {{"user"}, {"ip"}})),
       Limited(Per(Named("either"), {{"account", "ip"}}))});
  EXPECT_EQ(Told({{"user", "42"}}),
            "one: no key: ip is missing\n"
            "either: no key: account and ip are missing\n");
}

TEST_F(ExplainTest, ReportsMissingPlan) {
  RuleSpec rule = Named("plan");
  rule.plan = PlanChoiceSpec{.by = "plan", .otherwise = std::nullopt, .origin = {}};
  RuleSetSpec spec = SpecOf({rule});
  spec.domains[0].plans.push_back({"free", {Minute()}, {}});
  Use(spec);
  EXPECT_EQ(Told({{"plan", "gold"}}),
            "plan: no plan: plan is 'gold', which is no plan; there is no default\n");
  EXPECT_EQ(Told({}), "plan: no plan: plan is missing; there is no default\n");
  EXPECT_EQ(Told({{"plan", "free"}}), "plan: applies: key: one for all\n");
}

TEST_F(ExplainTest, ReportsModeThatDisablesRule) {
  Use({Mode(RuleMode::kOff, Limited(Named("off"))),
       Mode(RuleMode::kShadow, Limited(Named("shadow"))),
       Mode(RuleMode::kShadow, Decides(RuleAction::kDeny, "deny"))});
  EXPECT_EQ(Told({}),
            "off: off: mode: off\n"
            "shadow: applies: key: one for all\n"
            "deny: off: in shadow, where deny decides nothing\n");
}

TEST_F(ExplainTest, ReportsRuleThatReplacesAnother) {
  RuleSpec special = Limited(Replacing("special", "general"));
  special.match.push_back({"path", Values({"/special"})});
  RuleSpec best = Limited(Replacing("best", "special"));
  best.match.push_back({"user", Values({"vip"})});
  Use({Limited(Named("general")), special, best});
  EXPECT_EQ(Told({{"path", "/special"}}),
            "general: replaced: by rule 'special'\n"
            "special: applies: key: one for all\n"
            "best: no match: user is missing; expected 'vip'\n");
  EXPECT_EQ(Told({{"path", "/special"}, {"user", "vip"}}),
            "general: applies: key: one for all\n"
            "special: replaced: by rule 'best'\n"
            "best: applies: key: one for all\n");
}

TEST_F(ExplainTest, ReportsRulesAfterDecisionAsNotAsked) {
  Use({Limited(Named("all")), Decides(RuleAction::kDeny, "no", {{"user", Values({"x"})}}),
       Decides(RuleAction::kAllow, "yes"), Decides(RuleAction::kDeny, "late")});
  EXPECT_EQ(Told({{"user", "y"}}),
            "all: not asked: rule 'yes' has decided\n"
            "no: no match: user is 'y'; expected 'x'\n"
            "yes: allows: its match holds, so nothing is charged\n"
            "late: not asked: rule 'yes' has decided\n");
  EXPECT_EQ(Told({{"user", "x"}}),
            "all: not asked: rule 'no' has decided\n"
            "no: denies: its match holds, so nothing is charged\n"
            "yes: not asked: rule 'no' has decided\n"
            "late: not asked: rule 'no' has decided\n");
}

TEST_F(ExplainTest, ReportsBadCostAndRulesNotCharged) {
  RuleSpec costly = Limited(Named("costly"));
  costly.cost = CostSpec{std::string("units")};
  Use({Limited(Named("all")), costly});
  EXPECT_EQ(Told({{"units", "two"}}),
            "all: not charged: rule 'costly' has a bad cost\n"
            "costly: bad cost: units is 'two'; expected a whole number from 0 to 10^18\n");
  EXPECT_EQ(Told({{"units", "2"}}),
            "all: applies: key: one for all\n"
            "costly: applies: key: one for all\n");
}

TEST_F(ExplainTest, ReportsHowDeepDescriptorMatched) {
  DescriptorSpec unlimited = Entry("type", "vip");
  unlimited.unlimited = true;
  UseDescriptors({Entry("type", "mail", {Limited(Entry("to")), Entry("lang", "d*")}),
                  Entry("type", "sms"), unlimited});
  EXPECT_EQ(ToldOfDescriptor({{"type", "mail"}, {"to", "42"}}), "applies: key: to=42");
  EXPECT_EQ(ToldOfDescriptor({{"type", "vip"}}), "unlimited: 'type_vip' is unlimited");
  EXPECT_EQ(ToldOfDescriptor({{"type", "mail"}}),
            "no limit: 'type_mail' has no limit of its own; below it: to or lang");
  EXPECT_EQ(ToldOfDescriptor({{"type", "mail"}, {"from", "1"}}),
            "no match: after 'type_mail', found from; expected to or lang");
  EXPECT_EQ(ToldOfDescriptor({{"type", "mail"}, {"lang", "en"}}),
            "no match: after 'type_mail', lang is 'en'; expected 'd*'");
  EXPECT_EQ(ToldOfDescriptor({{"type", "sms"}, {"to", "1"}}),
            "no match: after 'type_sms', found to; expected nothing more");
  EXPECT_EQ(ToldOfDescriptor({{"type", "fax"}}),
            "no match: type is 'fax'; expected 'mail', 'sms' or 'vip'");
  EXPECT_EQ(ToldOfDescriptor({{"to", "1"}}), "no match: found to; expected type");
  EXPECT_EQ(ToldOfDescriptor({}), "nothing: there are no attributes");
}

TEST_F(ExplainTest, ReportsDescriptorNotAskedAfterDecision) {
  UseDescriptors({Limited(Entry("user"))}, {Decides(RuleAction::kAllow, "yes")});
  EXPECT_EQ(ToldOfDescriptor({{"user", "1"}}), "not asked: the rules have decided");
}

}  // namespace
}  // namespace sluice::testing
