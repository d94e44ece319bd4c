#include "config/rules/read_rule.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/limit/format_limit.h"
#include "unit/config/syntax/read_text.h"

namespace sluice {
namespace {

// Returns the only rule of a document, which must have no problems.
RuleSpec ReadOne(const std::string& rule) {
  ReadRulesResult read = ReadYamlRules("domain: api\nrules:\n  - " + rule + "\n");
  EXPECT_EQ(LinesOf(read), Lines()) << rule;
  if (read.spec.domains.empty() || read.spec.domains[0].rules.size() != 1) return {};
  return std::move(read.spec.domains[0].rules[0]);
}

Texts TextsOf(const RuleSpec& rule) {
  Texts texts;
  for (const NamedLimit& each : rule.limits) {
    texts.push_back(each.name + ": " + FormatLimit(each.limit.spec));
  }
  return texts;
}

TEST(ReadRuleTest, FillsInDefaults) {
  const RuleSpec rule = ReadOne("{ name: a, limit: 5/s }");
  EXPECT_EQ(rule.name, "a");
  EXPECT_EQ(rule.origin, (Origin{0, {3, 13}}));
  EXPECT_TRUE(rule.match.empty());
  EXPECT_TRUE(rule.per.empty());
  EXPECT_EQ(TextsOf(rule), Texts({"s: 5/s"}));
  EXPECT_EQ(rule.limits[0].origin, (Origin{0, {3, 23}}));
  EXPECT_FALSE(rule.plan.has_value());
  EXPECT_EQ(rule.action, RuleAction::kLimit);
  EXPECT_FALSE(rule.cost.has_value());
  EXPECT_FALSE(rule.debt);
  EXPECT_EQ(rule.mode, RuleMode::kEnforce);
  EXPECT_EQ(rule.enforce, Share{});
  EXPECT_FALSE(rule.status.has_value());
  EXPECT_EQ(rule.message, "");
  EXPECT_EQ(rule.consistency, Consistency::kExact);
  EXPECT_EQ(rule.on_store_failure, OnStoreFailure::kLocal);
  EXPECT_FALSE(rule.deny_cache);
  EXPECT_TRUE(rule.replaces.empty());
}

TEST(ReadRuleTest, ReadsEveryKey) {
  const RuleSpec rule = ReadOne(
      "{ name: a, match: { method: POST }, per: [[user, ip], path], limit: [2/m, 100/d],\n"
      "      action: limit, cost: 3, debt: true, mode: shadow, enforce_percent: 12.5,\n"
      "      status: 503, message: Later., consistency: leased, on_store_failure: deny,\n"
      "      replaces: [b, c] }");
  ASSERT_EQ(rule.match.size(), 1U);
  EXPECT_EQ(rule.match[0].attribute, "method");
  ASSERT_EQ(rule.per.size(), 2U);
  EXPECT_EQ(rule.per[0].attributes, Texts({"user", "ip"}));
  EXPECT_EQ(rule.per[0].origin, (Origin{0, {3, 47}}));
  EXPECT_EQ(rule.per[1].attributes, Texts({"path"}));
  EXPECT_EQ(TextsOf(rule), Texts({"m: 2/m", "d: 100/d"}));
  EXPECT_EQ(std::get<std::int64_t>(*rule.cost), 3);
  EXPECT_TRUE(rule.debt);
  EXPECT_EQ(rule.mode, RuleMode::kShadow);
  EXPECT_EQ(rule.enforce.millionths, 125'000U);
  EXPECT_EQ(rule.status, 503);
  EXPECT_EQ(rule.message, "Later.");
  EXPECT_EQ(rule.consistency, Consistency::kLeased);
  EXPECT_EQ(rule.on_store_failure, OnStoreFailure::kDeny);
  ASSERT_EQ(rule.replaces.size(), 2U);
  EXPECT_EQ(rule.replaces[0].name, "b");
  EXPECT_EQ(rule.replaces[1].name, "c");
  EXPECT_EQ(rule.replaces[1].origin, (Origin{0, {6, 21}}));
}

TEST(ReadRuleTest, AcceptsSingleNameInsteadOfList) {
  const RuleSpec rule = ReadOne("{ name: a, per: ip, limit: 1/s, replaces: b }");
  ASSERT_EQ(rule.per.size(), 1U);
  EXPECT_EQ(rule.per[0].attributes, Texts({"ip"}));
  ASSERT_EQ(rule.replaces.size(), 1U);
  EXPECT_EQ(rule.replaces[0].name, "b");
}

TEST(ReadRuleTest, ReadsCostAsNumberOrAttribute) {
  EXPECT_EQ(std::get<std::int64_t>(*ReadOne("{ name: a, limit: 1/s, cost: 0 }").cost), 0);
  EXPECT_EQ(std::get<std::string>(*ReadOne("{ name: a, limit: 1/s, cost: size }").cost), "size");
}

TEST(ReadRuleTest, ReadsEveryWordOfOptions) {
  const auto read = [](const std::string& key) { return ReadOne("{ name: a, " + key + " }"); };
  EXPECT_EQ(read("action: allow").action, RuleAction::kAllow);
  EXPECT_EQ(read("action: deny, status: 403").action, RuleAction::kDeny);
  EXPECT_EQ(read("action: deny, status: 403").status, 403);
  EXPECT_EQ(read("limit: 1/s, mode: enforce").mode, RuleMode::kEnforce);
  EXPECT_EQ(read("limit: 1/s, mode: off").mode, RuleMode::kOff);
  EXPECT_EQ(read("limit: 1/s, consistency: exact").consistency, Consistency::kExact);
  EXPECT_EQ(read("limit: 1/s, consistency: eventual").consistency, Consistency::kEventual);
  EXPECT_EQ(read("limit: 1/s, consistency: local").consistency, Consistency::kLocal);
  EXPECT_TRUE(read("limit: 1/s, deny_cache: true").deny_cache);
  EXPECT_EQ(read("limit: 1/s, on_store_failure: local").on_store_failure, OnStoreFailure::kLocal);
  EXPECT_EQ(read("limit: 1/s, on_store_failure: allow").on_store_failure, OnStoreFailure::kAllow);
}

TEST(ReadRuleTest, ReadsPercentagesInMillionths) {
  const auto millionths = [](const std::string& percent) {
    return ReadOne("{ name: a, limit: 1/s, enforce_percent: " + percent + " }").enforce.millionths;
  };
  EXPECT_EQ(millionths("0"), 0U);
  EXPECT_EQ(millionths("0.0001"), 1U);
  EXPECT_EQ(millionths("33.3333"), 333'333U);
  EXPECT_EQ(millionths("99.9999"), 999'999U);
  EXPECT_EQ(millionths("100"), Share::kWhole);
  EXPECT_EQ(millionths("100.000000"), Share::kWhole);
}

TEST(ReadRuleTest, ReadsPlanChoice) {
  const RuleSpec with = ReadOne("{ name: a, plan: { by: tier, default: free } }");
  ASSERT_TRUE(with.plan.has_value());
  EXPECT_EQ(with.plan->by, "tier");
  EXPECT_EQ(with.plan->otherwise, "free");
  EXPECT_EQ(with.plan->origin, (Origin{0, {3, 43}}));
  const RuleSpec without = ReadOne("{ name: a, plan: { by: tier } }");
  ASSERT_TRUE(without.plan.has_value());
  EXPECT_EQ(without.plan->otherwise, std::nullopt);
  EXPECT_EQ(without.plan->origin, (Origin{0, {3, 22}}));
}

}  // namespace
}  // namespace sluice
