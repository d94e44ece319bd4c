#include "cli/rules/explain_report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "config/rules/read_rules.h"
#include "config/syntax/json.h"

namespace sluice::cli {
namespace {

constexpr Time kNow{std::chrono::seconds{1'700'000'000}};

constexpr std::string_view kRules = R"(
domain: api
plans: { free: 5/s, pro: { rate: 10/s, burst: 20 } }
rules:
  - { name: health, match: { path: /health }, action: allow }
  - { name: closed, match: { path: "/admin/*" }, action: deny }
  - { name: plan, per: [[user, ip]], plan: { by: plan, default: free } }
  - { name: posts, match: { path: /posts }, per: [user], limit: 2/m, cost: 2 }
  - { name: all, limit: { rate: 100/m, algorithm: fixed_window }, mode: shadow }
descriptors:
  - { key: user, rate_limit: { unit: day, requests_per_unit: 9 } }
)";

ExplainedRequest Ask(const std::vector<Attribute>& attributes, std::int64_t cost = 1,
                     HeaderProfile profile = HeaderProfile::kIetf) {
  const std::vector<RuleText> texts = {{"rules.yaml", std::string(kRules)}};
  ReadRulesResult read = ReadAndCheckRules(texts, {});
  EXPECT_FALSE(HasErrors(read.problems));
  const ExplainQuestion question{
      .domain = "api", .attributes = attributes, .cost = Cost{cost}, .profile = profile};
  return ExplainRequest(RuleSet::Make(std::move(read.spec)), question, kNow).value();
}

TEST(ExplainReportTest, ShowsEveryRuleChargeAndHeader) {
  const std::vector<Attribute> attributes = {{"user", "42"}, {"path", "/posts"}};
  EXPECT_EQ(
      ExplainText(Ask(attributes), ColorMode::kPlain),
      "domain 'api': allowed\n"
      "\n"
      "rule    outcome   why\n"
      "health  no match  path is '/posts'; expected '/health'\n"
      "closed  no match  path is '/posts'; expected '/admin/*'\n"
      "plan    applies   key: user=42\n"
      "posts   applies   key: user=42\n"
      "all     applies   key: one for all\n"
      "\n"
      "descriptors: no match; after 'user', found path; expected nothing more\n"
      "\n"
      "rule   limit  terms                                        key          mode     cost  "
      "answer        left  retry after  reset after\n"
      "plan   s      5/s                                          user=42      enforce     1  "
      "allowed     4 of 5            -        200ms\n"
      "posts  m      2/m                                          user=42      enforce     2  "
      "allowed     0 of 2            -          60s\n"
      "all    m      {\"algorithm\":\"fixed_window\",\"rate\":\"100/m\"}  one for all  shadow  "
      "    1  allowed  99 of 100            -          40s\n"
      "\n"
      "headers (ietf)\n"
      "  RateLimit-Policy: \"plan/s\";q=5;w=1, \"posts/m\";q=2;w=60\n"
      "  RateLimit: \"posts/m\";r=0;t=30\n");
}

TEST(ExplainReportTest, ShowsKeyAndChargeOfDescriptor) {
  const std::vector<Attribute> attributes = {{"user", "a b"}};
  const std::string text = ExplainText(Ask(attributes), ColorMode::kPlain);
  EXPECT_NE(text.find("\ndescriptors: applies; key: user='a b'\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nuser  -      {\"algorithm\":\"fixed_window\",\"rate\":\"9/d\"}    "
                      "user='a b'   enforce     1  allowed     8 of 9"),
            std::string::npos)
      << text;
}

TEST(ExplainReportTest, ReportsWhetherWaitingHelps) {
  const std::vector<Attribute> attributes = {{"user", "42"}};
  const std::string text = ExplainText(Ask(attributes, 6), ColorMode::kPlain);
  EXPECT_TRUE(text.starts_with("domain 'api': refused, 429; waiting does not help\n")) << text;
  EXPECT_NE(text.find("refused      5 of 5        never           0s\n"), std::string::npos)
      << text;
  const std::vector<Attribute> admin = {{"path", "/admin/x"}};
  EXPECT_EQ(ExplainText(Ask(admin), ColorMode::kPlain),
            "domain 'api': denied, 403; waiting does not help\n"
            "\n"
            "rule    outcome    why\n"
            "health  no match   path is '/admin/x'; expected '/health'\n"
            "closed  denies     its match holds, so nothing is charged\n"
            "plan    not asked  rule 'closed' has decided\n"
            "posts   not asked  rule 'closed' has decided\n"
            "all     not asked  rule 'closed' has decided\n"
            "\n"
            "descriptors: not asked; the rules have decided\n");
}

TEST(ExplainReportTest, ComputesHeadersForCurrentTime) {
  const std::vector<Attribute> attributes = {{"user", "42"}, {"path", "/posts"}};
  const std::string text =
      ExplainText(Ask(attributes, 1, HeaderProfile::kGithub), ColorMode::kPlain);
  EXPECT_NE(text.find("\nheaders (github)\n"
                      "  X-RateLimit-Limit: 2\n"
                      "  X-RateLimit-Remaining: 0\n"
                      "  X-RateLimit-Reset: 1700000060\n"
                      "  X-RateLimit-Used: 2\n"
                      "  X-RateLimit-Resource: posts\n"),
            std::string::npos)
      << text;
}

TEST(ExplainReportTest, DimsRulesThatDoNotApplyInColor) {
  const std::vector<Attribute> attributes = {{"user", "42"}};
  const std::string text = ExplainText(Ask(attributes), ColorMode::kColor);
  EXPECT_NE(text.find("\x1b[2mhealth"), std::string::npos);
  EXPECT_NE(text.find("\nplan "), std::string::npos);
}

TEST(ExplainReportTest, JsonHasSameContents) {
  const std::vector<Attribute> attributes = {{"ip", "192.0.2.1"}, {"plan", "pro"}};
  EXPECT_EQ(
      ExplainJson(Ask(attributes, 5)),
      R"({"domain":"api","status":200,"allowed":true,"retry_after_ms":null,"decisions":[)"
      R"({"rule":"plan","name":"s","allowed":true,"limit":20,"remaining":15,)"
      R"("retry_after_ms":null,"reset_after_ms":500,"mode":"enforce","source":"memory"},)"
      R"({"rule":"all","name":"m","allowed":true,"limit":100,"remaining":95,)"
      R"("retry_after_ms":null,"reset_after_ms":40000,"mode":"shadow","source":"memory"}],)"
      R"("charges":[)"
      R"({"rule":"plan","name":"s","terms":"{\"rate\":\"10/s\",\"burst\":20}",)"
      R"("key":[{"attribute":"ip","value":"192.0.2.1"}],"cost":5},)"
      R"({"rule":"all","name":"m",)"
      R"("terms":"{\"algorithm\":\"fixed_window\",\"rate\":\"100/m\"}","key":[],"cost":5}],)"
      R"("rules":[)"
      R"({"rule":"health","outcome":"no match","why":"path is missing; expected '/health'"},)"
      R"({"rule":"closed","outcome":"no match","why":"path is missing; expected '/admin/*'"},)"
      R"({"rule":"plan","outcome":"applies","why":"key: ip=192.0.2.1"},)"
      R"({"rule":"posts","outcome":"no match","why":"path is missing; expected '/posts'"},)"
      R"({"rule":"all","outcome":"applies","why":"key: one for all"}],)"
      R"("descriptor":{"outcome":"no match","depth":0,"why":"found ip; expected user"},)"
      R"("profile":"ietf","headers":{)"
      R"("RateLimit-Policy":"\"plan/s\";q=10;w=1","RateLimit":"\"plan/s\";r=15;t=1"}})"
      "\n");
}

TEST(ExplainReportTest, WritesValidJsonForAnyRequest) {
  const std::vector<Attribute> attributes = {{"user", "\xFF\"\n"}, {"path", "\\"}};
  EXPECT_TRUE(std::holds_alternative<Value>(ReadJson(ExplainJson(Ask(attributes)))));
}

}  // namespace
}  // namespace sluice::cli
