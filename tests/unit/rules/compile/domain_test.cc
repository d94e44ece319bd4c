#include "rules/compile/domain.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/limit/parse_limit.h"
#include "rules/compile/rule_set.h"
#include "support/random.h"

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

// tests/property/rules_match_test.cc covers the rest of matching.

TEST(DomainTest, EnforcePercentEnforcesStableShareOfKeys) {
  RuleSpec rule = Rule("some");
  rule.enforce.millionths = 125'000;
  const auto rules = SetOf({rule});
  const auto again = SetOf({Rule("another"), rule});
  constexpr HashSeed kSecret{1, 2};
  Match match;
  match.UseShareSecret(&kSecret);
  int enforced = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string user = std::to_string(i);
    const std::vector<Attribute> attributes = {{"user", user}};
    match.Clear();
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    const Enforcement enforcement = match.charges().front().enforcement;
    enforced += enforcement == Enforcement::kEnforce ? 1 : 0;
    match.Clear();
    again->Find("api")->MatchRules(attributes, Cost{1}, match);
    ASSERT_EQ(match.charges().back().enforcement, enforcement);
  }
  // 2,500 are expected; four standard deviations are 187.
  EXPECT_NEAR(enforced, 2500, 187);
}

TEST(DomainTest, RuleReplacesOnlyForEnforcedKeys) {
  RuleSpec half = Rule("half");
  half.enforce.millionths = Share::kWhole / 2;
  half.replaces.push_back({"all", {}});
  const auto rules = SetOf({Rule("all"), half});
  constexpr HashSeed kSecret{1, 2};
  Match match;
  match.UseShareSecret(&kSecret);
  bool seen[2] = {false, false};
  for (int i = 0; i < 100; ++i) {
    const std::string user = std::to_string(i);
    const std::vector<Attribute> attributes = {{"user", user}};
    match.Clear();
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    const bool enforced = match.charges().back().enforcement == Enforcement::kEnforce;
    seen[enforced ? 1 : 0] = true;
    ASSERT_EQ(match.charges().size(), enforced ? 1U : 2U);
  }
  EXPECT_TRUE(seen[0] && seen[1]);
}

// A client that could compute the hash would choose a key that is in shadow.
TEST(DomainTest, EnforcePercentChoosesKeysBySecret) {
  RuleSpec rule = Rule("half");
  rule.enforce.millionths = Share::kWhole / 2;
  const auto rules = SetOf({rule});
  constexpr HashSeed kOne{1, 2};
  constexpr HashSeed kOther{1, 3};
  const auto is_enforced = [&](const HashSeed* secret, int user) {
    const std::string text = std::to_string(user);
    Match match;
    match.UseShareSecret(secret);
    rules->Find("api")->MatchRules(std::vector<Attribute>{{"user", text}}, Cost{1}, match);
    return match.charges().front().enforcement == Enforcement::kEnforce;
  };
  int differ = 0;
  for (int user = 0; user < 1000; ++user) {
    differ += is_enforced(&kOne, user) != is_enforced(&kOther, user) ? 1 : 0;
    ASSERT_TRUE(is_enforced(nullptr, user)) << "without a secret all of them are";
  }
  EXPECT_NEAR(differ, 500, 64);
}

TEST(DomainTest, AlternativesOfKeyPartMakeDifferentKeys) {
  RuleSpec rule = Rule("either");
  rule.per = {{{"user", "account"}, {}}};
  const auto rules = SetOf({rule});
  Match user;
  Match account;
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"user", "7"}}, Cost{1}, user);
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"account", "7"}}, Cost{1}, account);
  EXPECT_NE(user.Key(user.charges()[0]), account.Key(account.charges()[0]));
}

TEST(DomainTest, EscapesSeparatorsInLimitIds) {
  RuleSpec slash = Rule("a/b");
  slash.limits[0].name = "c";
  RuleSpec plain = Rule("a");
  plain.limits[0].name = "b/c";
  const auto rules = SetOf({slash, plain});
  EXPECT_EQ(rules->limits()[0].id, "api/rules/a%2fb/c");
  EXPECT_EQ(rules->limits()[1].id, "api/rules/a/b%2fc");
}

// RuleIndex joins the expressions, so an unclosed \Q would quote the following ones.
TEST(DomainTest, UnclosedRegexQuoteDoesNotAffectOtherRules) {
  RuleSpec quoting = Rule("quoting");
  quoting.match = {
      {"path", {.kind = MatcherSpec::Kind::kRegex, .texts = {"a?\\Qa"}, .origin = {}}}};
  RuleSpec closed = Rule("closed");
  closed.match = {
      {"path", {.kind = MatcherSpec::Kind::kRegex, .texts = {"b?\\Qb\\E"}, .origin = {}}}};
  const auto rules = SetOf({quoting, closed});
  for (const char* const path : {"a", "b"}) {
    Match match;
    const std::vector<Attribute> attributes = {{"user", "7"}, {"path", path}};
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    ASSERT_EQ(match.charges().size(), 1U) << path;
    EXPECT_EQ(match.charges()[0].rule->spec->name, *path == 'a' ? "quoting" : "closed");
  }
}

TEST(DomainTest, RejectsCostAboveMaximum) {
  RuleSpec rule = Rule("costly");
  rule.cost = CostSpec{"units"};
  const auto rules = SetOf({rule});
  const auto outcome = [&](std::string_view units) {
    Match match;
    const std::vector<Attribute> attributes = {{"user", "7"}, {"units", units}};
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    return match.outcome();
  };
  EXPECT_EQ(outcome("1000000000000000000"), MatchOutcome::kCharges);
  EXPECT_EQ(outcome("1000000000000000001"), MatchOutcome::kBadCost);
  EXPECT_EQ(outcome("9223372036854775807"), MatchOutcome::kBadCost);
}

// 800 kB of literals would take 200 MB. RuleIndex builds 64 MB of them; rules of the others are
// always candidates.
TEST(DomainTest, FindsRulesThatExceedIndexMemory) {
  std::vector<RuleSpec> rules;
  Random random{1};
  std::vector<std::string> literals;
  for (int i = 0; i < 80; ++i) {
    std::string& literal = literals.emplace_back();
    for (int j = 0; j < 10'000; ++j) literal += static_cast<char>('0' + random.Between(0, 63));
    std::erase(literal, '*');
    RuleSpec rule = Rule("rule " + std::to_string(i));
    rule.match.push_back({"path", {.texts = {"*" + literal + "*"}, .origin = {}}});
    rules.push_back(std::move(rule));
  }
  const auto set = SetOf(std::move(rules));
  Match match;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    const std::string path = "/" + literals[i];
    match.Clear();
    set->Find("api")->MatchRules(std::vector<Attribute>{{"user", "1"}, {"path", path}}, Cost{1},
                                 match);
    ASSERT_EQ(match.charges().size(), 1U);
    EXPECT_EQ(match.charges().front().rule->spec->name, "rule " + std::to_string(i));
  }
}

// Covers invariant (3) of Domain.
TEST(DomainTest, MatchesGlobsAndRegexesWithCanonicalAddress) {
  RuleSetSpec spec;
  DomainSpec& domain = spec.domains.emplace_back();
  domain.name = "api";
  domain.aliases = {{"client", "ip", {}}, {"ip", "header.x-real-ip", {}}};
  const auto add = [&](const std::string& name, const std::string& attribute, MatcherSpec matcher) {
    RuleSpec& rule = domain.rules.emplace_back();
    rule.name = name;
    rule.limits.push_back({"m", ParseLimit("10/m", {}).value(), {}});
    rule.match.push_back({attribute, std::move(matcher)});
  };
  add("glob", "ip", {.texts = {"203.0.113.*"}, .origin = {}});
  add("regex", "ip", {.kind = MatcherSpec::Kind::kRegex, .texts = {"203[.].*"}, .origin = {}});
  add("alias", "client", {.texts = {"2001:db8::*"}, .origin = {}});
  add("not", "client", {.texts = {"*:*"}, .negated = true, .origin = {}});
  add("text", "header.x-real-ip", {.texts = {"::*"}, .origin = {}});
  const auto rules = RuleSet::Make(std::move(spec));
  const auto matched = [&](const std::string& name, const std::string& value) {
    const std::vector<Attribute> attributes = {{name, value}};
    Match match;
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    std::string names;
    for (const RuleCharge& charge : match.charges()) names += charge.rule->spec->name + " ";
    return names;
  };
  EXPECT_EQ(matched("ip", "203.0.113.9"), "glob regex not ");
  EXPECT_EQ(matched("ip", "::ffff:203.0.113.9"), "glob regex not ");
  EXPECT_EQ(matched("ip", "0:0::FFFF:cb00:7109"), "glob regex not ");
  EXPECT_EQ(matched("header.x-real-ip", "::ffff:cb00:7109"), "glob regex not text ");
  EXPECT_EQ(matched("client", "2001:DB8:0:0::9"), "alias ");
  EXPECT_EQ(matched("ip", "2001:db8:1::9"), "");
  // A value that is not an address is plain text.
  EXPECT_EQ(matched("ip", "203.0.113.x"), "glob regex not ");
  EXPECT_EQ(matched("ip", "::203.0.113.x"), "");
}

// Each alias takes its value from one far away in the list, and the last one from `ip`. Searching
// for the next alias each time took half a minute for a tenth of these.
TEST(DomainTest, OrdersLongAliasChainsInOnePass) {
  constexpr std::size_t kHalf = 20'000;
  RuleSetSpec spec;
  DomainSpec& domain = spec.domains.emplace_back();
  domain.name = "api";
  const auto name = [](std::size_t i) { return "a" + std::to_string(i); };
  for (std::size_t i = 0; i < kHalf; ++i) domain.aliases.push_back({name(i), name(kHalf + i), {}});
  for (std::size_t i = 0; i < kHalf; ++i) {
    domain.aliases.push_back({name(kHalf + i), i + 1 < kHalf ? name(i + 1) : "ip", {}});
  }
  domain.rules = {Rule("first")};
  domain.rules[0].per = {{{name(0)}, {}}};
  const auto rules = RuleSet::Make(std::move(spec));
  Match short_form;
  Match long_form;
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"ip", "10.0.0.1"}}, Cost{1}, short_form);
  rules->Find("api")->MatchRules(std::vector<Attribute>{{"ip", "::ffff:a00:1"}}, Cost{1},
                                 long_form);
  ASSERT_EQ(short_form.charges().size(), 1U);
  EXPECT_EQ(short_form.Key(short_form.charges()[0]), long_form.Key(long_form.charges()[0]));
}

// The position of the other values does not matter, nor whether they would match.
TEST(DomainTest, UsesFirstValueOfRepeatedAttribute) {
  RuleSpec rule = Rule("posts");
  rule.match = {{"path", {.kind = MatcherSpec::Kind::kValues, .texts = {"/posts"}, .origin = {}}}};
  const auto rules = SetOf({rule});
  const auto charges = [&](std::string_view first, std::string_view second, std::string_view last) {
    Match match;
    const std::vector<Attribute> attributes = {
        {"path", first}, {"user", "7"}, {"path", second}, {"path", last}};
    rules->Find("api")->MatchRules(attributes, Cost{1}, match);
    return match.charges().size();
  };
  EXPECT_EQ(charges("/posts", "/other", "/other"), 1U);
  EXPECT_EQ(charges("/other", "/posts", "/posts"), 0U);
  EXPECT_EQ(charges("/other", "/other", "/posts"), 0U);
}

}  // namespace
}  // namespace sluice::testing
