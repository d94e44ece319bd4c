#include "gate/problem.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "gate/verdict_json.h"
#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

using ProblemTest = GateFixture;

constexpr std::string_view kQuotaExceeded =
    R"("type":"https://iana.org/assignments/http-problem-types#quota-exceeded",)"
    R"("title":"Request cannot be satisfied as assigned quota has been exceeded")";

std::string Json(const Verdict& verdict) {
  std::string text;
  WriteVerdictJson(verdict, text);
  return text;
}

std::string Problem(const Verdict& verdict) {
  std::string text;
  WriteProblem(verdict, text);
  return text;
}

// Returns the value of "detail", which contains no quotes.
std::string DetailOf(const Verdict& verdict) {
  const std::string text = Problem(verdict);
  const std::size_t begin = text.find(R"("detail":")") + 10;
  return text.substr(begin, text.find('"', begin) - begin);
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ProblemTest, WritesAVerdictWithAllItsDecisions) {
  Use({Rule("posts", "2/m"), Shadow(Rule("all", "1/h"))});
  EXPECT_EQ(
      Json(Check()),
      R"({"allowed":true,"retry_after_ms":null,"decisions":[)"
      R"({"rule":"posts","name":"m","allowed":true,"limit":2,"remaining":1,)"
      R"("retry_after_ms":null,"reset_after_ms":30000,"mode":"enforce","source":"memory"},)"
      R"({"rule":"all","name":"m","allowed":true,"limit":1,"remaining":0,)"
      R"("retry_after_ms":null,"reset_after_ms":3600000,"mode":"shadow","source":"memory"}]})");
  EXPECT_EQ(StatusOf(verdict_), 200);
}

TEST_F(ProblemTest, RefusalReportsRuleReasonAndWhenToRetry) {
  Use({Rule("posts", "2/m"), Shadow(Rule("all", "2/h"))});
  Check(2);
  EXPECT_EQ(
      Problem(Check()),
      "{" + std::string(kQuotaExceeded) +
          R"(,"status":429,)"
          R"("detail":"Rule 'posts', limit 'm': 1 asked for, 0 of 2 left; come back in 30s.",)"
          R"("violated-policies":["posts/m"],)"
          R"("allowed":false,"retry_after_ms":30000,"decisions":[)"
          R"({"rule":"posts","name":"m","allowed":false,"limit":2,"remaining":0,)"
          R"("retry_after_ms":30000,"reset_after_ms":60000,)"
          R"("mode":"enforce","source":"memory"},)"
          R"({"rule":"all","name":"m","allowed":false,"limit":2,"remaining":0,)"
          R"("retry_after_ms":1800000,"reset_after_ms":3600000,)"
          R"("mode":"shadow","source":"memory"}]})");
}

TEST_F(ProblemTest, RoundsUpToMilliseconds) {
  Use({Rule("all", "7/s")});
  EXPECT_TRUE(Has(Json(Check(7)), R"("reset_after_ms":1000,)"));
  EXPECT_TRUE(Has(Json(Check()), R"("retry_after_ms":143,"reset_after_ms":1000,)"));
  EXPECT_EQ(DetailOf(verdict_),
            "Rule 'all', limit 'm': 1 asked for, 0 of 7 left; come back in 143ms.");
}

TEST_F(ProblemTest, ReportsNeverIfWaitingDoesNotHelp) {
  Use({Rule("posts", "2/m")});
  const std::string text = Problem(Check(3));
  EXPECT_TRUE(Has(text, R"("allowed":false,"retry_after_ms":"never","decisions":[{)"));
  EXPECT_TRUE(Has(text, R"("remaining":2,"retry_after_ms":"never","reset_after_ms":0,)"));
  EXPECT_EQ(DetailOf(verdict_),
            "Rule 'posts', limit 'm': 3 asked for, and never more than 2 at once; waiting does not "
            "help.");
}

TEST_F(ProblemTest, WritesNullForMissingUnits) {
  Use({Rule("slow", LimitOf({.algorithm = Algorithm::kPacer, .rate = Rate{1, seconds{2}}}))});
  EXPECT_TRUE(Has(Json(Check()), R"("limit":null,"remaining":null,)"));
  EXPECT_EQ(DetailOf(Check()), "Rule 'slow', limit 'm': 1 asked for; come back in 1s.");
}

TEST_F(ProblemTest, RoundsAWaitUpToWholeUnits) {
  const auto wait_after = [&](Nanos wait) {
    const Rate rate{1, wait};
    Use({Rule("slow", LimitOf({.algorithm = Algorithm::kTokenBucket, .rate = rate, .burst = 1}))});
    Check();
    const std::string detail = DetailOf(Check());
    return detail.substr(detail.find("come back in "));
  };
  EXPECT_EQ(wait_after(seconds{59}), "come back in 59s.");
  EXPECT_EQ(wait_after(seconds{60}), "come back in 1m.");
  EXPECT_EQ(wait_after(seconds{61}), "come back in 61s.");
  EXPECT_EQ(wait_after(seconds{599}), "come back in 599s.");
  EXPECT_EQ(wait_after(seconds{1797}), "come back in 30m.");
  EXPECT_EQ(wait_after(seconds{7201}), "come back in 121m.");
  EXPECT_EQ(wait_after(seconds{40'000}), "come back in 12h.");
  EXPECT_EQ(wait_after(seconds{86'400}), "come back in 1d.");
  EXPECT_EQ(wait_after(seconds{900'000}), "come back in 11d.");
}

TEST_F(ProblemTest, ReplyIncludesTheDelayToObserve) {
  Use({Rule(
      "queue",
      LimitOf({.algorithm = Algorithm::kLeakyBucket, .rate = Rate{3, seconds{1}}, .burst = 5}))});
  EXPECT_FALSE(Has(Json(Check()), "wait_ms"));
  EXPECT_TRUE(Has(Json(Check()), R"("retry_after_ms":null,"wait_ms":334,"decisions":[)"));
}

TEST_F(ProblemTest, UsesStatusAndMessageOfTheRule) {
  RuleSpec rule = Rule("shed", "1/m");
  rule.status = 503;
  rule.message = "busy, \"sorry\"";
  Use({rule});
  Check();
  EXPECT_EQ(StatusOf(Check()), 503);
  EXPECT_TRUE(Problem(verdict_).starts_with(
      R"({"type":"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity",)"
      R"("title":"Request cannot be satisfied due to temporary server capacity constraints",)"
      R"("status":503,"detail":"busy, \"sorry\"","violated-policies":["shed/m"],"allowed":false)"));
}

TEST_F(ProblemTest, ReportsTheRuleThatRefusesForLongest) {
  RuleSpec shed = Rule("shed", "1/s");
  shed.status = 503;
  Use({shed, Rule("hour", "1/h")});
  Check();
  EXPECT_EQ(StatusOf(Check()), 429);
  EXPECT_TRUE(Has(Problem(verdict_), R"("violated-policies":["shed/m","hour/m"])"));
  EXPECT_EQ(DetailOf(verdict_),
            "Rule 'hour', limit 'm': 1 asked for, 0 of 1 left; come back in 1h.");
}

// Two quota limits, one per hour and one per minute.
class QuotaProblemTest : public GateFixture {
 protected:
  void UseQuotas(std::vector<RuleSpec> rules = {}) {
    DescriptorSpec hour = Descriptor("hour", "1/h");
    DescriptorSpec minute = Descriptor("minute", "1/m");
    hour.quota_mode = minute.quota_mode = true;
    Use(std::move(rules), {hour, minute});
  }
  const Verdict& CheckAll(const std::vector<Attribute>& entries) {
    std::vector<AttributeSet> sets;
    for (const Attribute& entry : entries) sets.push_back({{&entry, 1}, Cost{1}});
    session_.Decide({"api", sets}, verdict_);
    return verdict_;
  }
};

// Invariant (2) of Verdict.
TEST_F(QuotaProblemTest, ReportsTheQuotaLimitThatPassesFirst) {
  UseQuotas();
  CheckAll({{"hour", ""}, {"minute", ""}});
  EXPECT_EQ(CheckAll({{"hour", ""}, {"minute", ""}}).kind(), VerdictKind::kRefused);
  EXPECT_EQ(verdict_.retry_after(), seconds{60});
  EXPECT_EQ(verdict_.nearest()->decision.retry_after, verdict_.retry_after());
  EXPECT_EQ(DetailOf(verdict_), "Descriptor 'minute': 1 asked for, 0 of 1 left; come back in 1m.");
  EXPECT_TRUE(Has(Problem(verdict_), R"("violated-policies":["hour","minute"])"));
}

// Invariant (2) of Verdict.
TEST_F(QuotaProblemTest, IgnoresQuotaLimitThatRefusesInVain) {
  RuleSpec shed = Rule("shed", "1/s");
  shed.match.push_back({"shed", {.kind = MatcherSpec::Kind::kPresent, .texts = {}, .origin = {}}});
  shed.status = 503;
  shed.message = "busy";
  UseQuotas({shed});
  CheckAll({{"hour", ""}});
  CheckAll({{"shed", ""}});
  EXPECT_EQ(StatusOf(CheckAll({{"hour", ""}, {"minute", ""}, {"shed", ""}})), 503);
  EXPECT_EQ(verdict_.nearest()->decision.retry_after, verdict_.retry_after());
  EXPECT_EQ(DetailOf(verdict_), "busy");
  EXPECT_TRUE(Has(Problem(verdict_), R"("violated-policies":["shed/m"])"));
  clock_.Advance(seconds{1});
  EXPECT_TRUE(CheckAll({{"hour", ""}, {"minute", ""}, {"shed", ""}}).allowed());
  EXPECT_TRUE(verdict_.nearest()->decision.allowed);
  // It still represents its own set.
  EXPECT_EQ(verdict_.NearestOf(verdict_.sets()[0])->limit->rule, "hour");
}

// Invariant (2) of Verdict.
TEST_F(QuotaProblemTest, ReportsTheLimitToWaitFor) {
  RuleSpec shed = Rule("shed", "1/s");
  shed.status = 503;
  UseQuotas({shed});
  CheckAll({{"minute", ""}});
  EXPECT_EQ(StatusOf(CheckAll({{"minute", ""}})), 429);
  EXPECT_EQ(verdict_.nearest()->limit->rule, "minute");
  UseQuotas({Rule("day", "1/d")});
  CheckAll({{"hour", ""}});
  CheckAll({{"hour", ""}});
  EXPECT_EQ(verdict_.nearest()->limit->rule, "day");
}

TEST_F(ProblemTest, DenyIsForbidden) {
  Use({Deny("nobody")});
  EXPECT_EQ(Problem(Check()),
            R"({"type":"about:blank","title":"Forbidden","status":403,)"
            R"("detail":"Rule 'nobody' denies this request; waiting does not help.",)"
            R"("allowed":false,"retry_after_ms":"never","decisions":[]})");
  RuleSpec deny = Deny("nobody");
  deny.status = 429;
  deny.message = "go away";
  Use({deny});
  EXPECT_TRUE(Problem(Check()).starts_with(
      R"({"type":"about:blank","title":"Too Many Requests","status":429,"detail":"go away",)"));
}

TEST_F(ProblemTest, BadRequestNamesTheInvalidAttribute) {
  RuleSpec rule = Rule("all", "2/h");
  rule.cost = CostSpec{std::string("units")};
  rule.message = "slow down";
  Use({rule});
  EXPECT_EQ(Problem(Check(1, {{"units", "two"}})),
            R"({"type":"about:blank","title":"Bad Request","status":400,)"
            R"("detail":"Rule 'all', attribute 'units': the attribute that holds the cost is no )"
            R"(whole number from 0 to 10^18.",)"
            R"("allowed":false,"retry_after_ms":"never","decisions":[]})");
}

TEST_F(ProblemTest, UnknownDomainIsNotFound) {
  Use({Rule("all", "2/h")});
  EXPECT_EQ(Problem(CheckIn("other", 1, {})),
            R"({"type":"about:blank","title":"Not Found","status":404,)"
            R"("detail":"There are no rules for this domain.",)"
            R"("allowed":false,"retry_after_ms":"never","decisions":[]})");
}

TEST_F(ProblemTest, NamesADescriptorByItsEntries) {
  DescriptorSpec quota = Descriptor("user", "1/m");
  quota.quota_mode = true;
  Use({}, {quota});
  Check(1, {{"user", "42"}});
  const std::string text = Problem(Check(1, {{"user", "42"}}));
  EXPECT_TRUE(Has(text, R"("violated-policies":["user"])")) << text;
  EXPECT_TRUE(Has(text, R"("decisions":[{"rule":"user","allowed":false,)")) << text;
  EXPECT_TRUE(Has(text, R"("mode":"quota")")) << text;
  EXPECT_EQ(DetailOf(verdict_), "Descriptor 'user': 1 asked for, 0 of 1 left; come back in 1m.");
}

TEST_F(ProblemTest, WritesValidJsonForNamesThatAreNoText) {
  Use({Rule("a\"\\\n\xFF", "1/m")});
  Check();
  const std::string text = Problem(Check());
  EXPECT_TRUE(Has(text, "\"detail\":\"Rule 'a\\\"\\\\\\u000a\xEF\xBF\xBD', limit 'm': "));
  EXPECT_TRUE(Has(text, R"("violated-policies":["a\"\\%0a%ff/m"])"));
  EXPECT_TRUE(Has(text, "{\"rule\":\"a\\\"\\\\\\u000a\xEF\xBF\xBD\","));
}

}  // namespace
}  // namespace sluice::testing
