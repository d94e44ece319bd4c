#include "rules/model/describe_rule.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "unit/rules/spec_builder.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

// Formats each value as "cost: 5 @3" if it was written on line 3.
Texts LinesOf(const std::vector<DescribedValue>& values) {
  Texts lines;
  for (const DescribedValue& each : values) {
    lines.push_back(each.key + ": " + WordsOf(each) +
                    (each.origin ? " @" + std::to_string(each.origin->at.line) : ""));
  }
  return lines;
}

NamedLimit Named(const LimitSpec& spec, WrittenKeys written) {
  return {"l", std::get<Limit>(MakeLimit(spec, nullptr)), {}, std::move(written)};
}

TEST(DescribeRuleTest, FillsInDefaultsAndPlacesOfWrittenValues) {
  RuleSpec rule = Per(LimitRule("a"), {{"user"}, {"ip", "path"}});
  rule.mode = RuleMode::kShadow;
  rule.enforce.millionths = 1;
  rule.written = {{"per", Line(2)}, {"mode", Line(3)}, {"enforce_percent", Line(4)}};
  EXPECT_EQ(LinesOf(DescribeRule(rule)),
            Texts({"action: limit", "per: [user, [ip, path]] @2", "cost: the request's own",
                   "debt: false", "mode: shadow @3", "enforce_percent: 0.0001 @4", "status: 429",
                   "message: (none)", "consistency: exact", "deny_cache: false",
                   "on_store_failure: local", "replaces: []"}));
}

TEST(DescribeRuleTest, AllowAndDenyRulesHaveOnlyTheirOwnKeys) {
  EXPECT_EQ(LinesOf(DescribeRule(Decides(RuleAction::kDeny, "a"))),
            Texts({"action: deny", "mode: enforce", "status: 403", "message: (none)"}));
  EXPECT_EQ(LinesOf(DescribeRule(Decides(RuleAction::kAllow, "a"))),
            Texts({"action: allow", "mode: enforce"}));
}

TEST(DescribeRuleTest, FormatsMatchersAsWritten) {
  using Kind = MatcherSpec::Kind;
  RuleSpec rule = LimitRule("a", {{"a", Values({"x"})},
                                  {"b", Values({"x", "5"}, true)},
                                  {"c", Matcher(Kind::kRegex, {"a+"})},
                                  {"d", Matcher(Kind::kIn, {"list"}, true)},
                                  {"e", Matcher(Kind::kPresent)},
                                  {"f", Matcher(Kind::kPresent, {}, true)}});
  for (ConditionSpec& condition : rule.match) condition.matcher.origin = Line(7);
  EXPECT_EQ(LinesOf(DescribeMatch(rule)),
            Texts({"a: x @7", "b: {not: [x, \"5\"]} @7", "c: {regex: a+} @7",
                   "d: {not: {in: list}} @7", "e: {present: true} @7", "f: {present: false} @7"}));
}

TEST(DescribeRuleTest, ListsEveryKeyOfLimitsAlgorithm) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kLeakyBucket;
  spec.rate = Rate{2, 1min};
  EXPECT_EQ(LinesOf(DescribeLimit(Named(spec, {{"algorithm", Line(1)}, {"rate", Line(2)}}))),
            Texts({"name: l", "algorithm: leaky_bucket @1", "rate: 2/m @2", "burst: 2",
                   "delay_after: 0", "max_wait: (none)"}));
  spec.algorithm = Algorithm::kPacer;
  EXPECT_EQ(LinesOf(DescribeLimit(Named(spec, {{"rate", Line(2)}}))),
            Texts({"name: l", "algorithm: pacer", "rate: 2/m @2", "max_wait: 0", "warm_up: 0",
                   "burst: what one second brings"}));
}

TEST(DescribeRuleTest, DescribesRateLimitOfDescriptor) {
  DescriptorSpec descriptor;
  descriptor.key = "a";
  descriptor.unlimited = true;
  descriptor.limit_name = "n";
  descriptor.rate_limit_written = {{"unlimited", Line(2)}, {"name", Line(3)}};
  descriptor.quota_mode = true;
  descriptor.written = {{"quota_mode", Line(4)}};
  EXPECT_EQ(LinesOf(DescribeRateLimit(descriptor)),
            Texts({"unlimited: true @2", "name: n @3", "replaces: []"}));
  EXPECT_EQ(
      LinesOf(DescribeDescriptor(descriptor)),
      Texts({"value: any", "shadow_mode: false", "quota_mode: true @4", "detailed_metric: false",
             "value_to_metric: false", "share_threshold: false", "metadata: (none)"}));
}

}  // namespace
}  // namespace sluice
