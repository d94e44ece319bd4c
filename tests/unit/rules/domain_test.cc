#include "rules/domain.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/parse_limit.h"
#include "rules/rule_set.h"

namespace sluice::testing {
namespace {

RuleSpec Rule(const std::string& name) {
  RuleSpec rule;
  rule.name = name;
  rule.per.push_back({{"user"}, {}});
  rule.limits.push_back({"m", ParseLimit("10/m", {}).value(), {}});
  return rule;
}

std::shared_ptr<const RuleSet> SetOf(std::vector<RuleSpec> rules) {
  RuleSetSpec spec;
  DomainSpec domain;
  domain.name = "api";
  domain.rules = std::move(rules);
  spec.domains.push_back(std::move(domain));
  return RuleSet::Make(std::move(spec));
}

// What is matched beyond this is in tests/property/rules_match_test.cc.

TEST(DomainTest, EnforcePercentIsThatShareOfKeysAndTheSameOnesEveryTime) {
  RuleSpec rule = Rule("some");
  rule.enforce.millionths = 125'000;
  const auto rules = SetOf({rule});
  const auto again = SetOf({Rule("another"), rule});
  Match match;
  int enforced = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string user = std::to_string(i);
    const std::vector<Attribute> attributes = {{"user", user}};
    match.Clear();
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    const Veto veto = match.charges().front().veto;
    enforced += veto == Veto::kEnforce ? 1 : 0;
    match.Clear();
    again->Find("api")->MatchRules(attributes, Cost{1}, match);
    ASSERT_EQ(match.charges().back().veto, veto);
  }
  // 2500 expected, four standard deviations are 187.
  EXPECT_NEAR(enforced, 2500, 187);
}

TEST(DomainTest, ARuleThatIsNotEnforcedForAKeyReplacesNothing) {
  RuleSpec half = Rule("half");
  half.enforce.millionths = Share::kWhole / 2;
  half.replaces.push_back({"all", {}});
  const auto rules = SetOf({Rule("all"), half});
  Match match;
  bool seen[2] = {false, false};
  for (int i = 0; i < 100; ++i) {
    const std::string user = std::to_string(i);
    const std::vector<Attribute> attributes = {{"user", user}};
    match.Clear();
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    const bool enforced = match.charges().back().veto == Veto::kEnforce;
    seen[enforced ? 1 : 0] = true;
    ASSERT_EQ(match.charges().size(), enforced ? 1U : 2U);
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

TEST(DomainTest, AlternativesOfAKeyPartAreDifferentKeys) {
  RuleSpec rule = Rule("either");
  rule.per = {{{"user", "account"}, {}}};
  const auto rules = SetOf({rule});
  Match user;
  Match account;
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"user", "7"}}, Cost{1}, user);
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"account", "7"}}, Cost{1}, account);
  EXPECT_NE(user.Key(user.charges()[0]), account.Key(account.charges()[0]));
}

TEST(DomainTest, NamesWithSeparatorsMakeDifferentIds) {
  RuleSpec slash = Rule("a/b");
  slash.limits[0].name = "c";
  RuleSpec plain = Rule("a");
  plain.limits[0].name = "b/c";
  const auto rules = SetOf({slash, plain});
  EXPECT_EQ(rules->limits()[0].id, "api/rules/a%2fb/c");
  EXPECT_EQ(rules->limits()[1].id, "api/rules/a/b%2fc");
}

}  // namespace
}  // namespace sluice::testing
