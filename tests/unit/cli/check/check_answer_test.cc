#include "cli/check/check_answer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>

#include "config/syntax/json.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

constexpr CheckQuestion kQuestion{.server = "127.0.0.1:8080", .protocol = "http", .domain = "api"};

CheckAnswer Refused() {
  CheckAnswer answer{.allowed = false, .retry_after = 30s, .words = "two\nlines"};
  answer.limits = {{.rule = "plan",
                    .limit = "s",
                    .mode = "enforce",
                    .units = 50,
                    .remaining = 49,
                    .reset_after = 20ms},
                   {.rule = "posts",
                    .limit = "m",
                    .mode = "enforce",
                    .allowed = false,
                    .units = 2,
                    .remaining = 0,
                    .retry_after = kNever,
                    .reset_after = 60s}};
  return answer;
}

TEST(CheckAnswerTest, ReportsReasonAndRetryOfRefusal) {
  EXPECT_EQ(CheckText(kQuestion, Refused(), ColorMode::kPlain),
            "domain 'api': refused; would pass in 30s\n"
            "two\\x0alines\n"
            "\n"
            "rule   limit  mode     answer       left  retry after  reset after\n"
            "plan   s      enforce  allowed  49 of 50            -         20ms\n"
            "posts  m      enforce  refused    0 of 2        never          60s\n");
}

TEST(CheckAnswerTest, OmitsWhatTheProtocolDoesNotReport) {
  CheckAnswer answer{.allowed = false};
  EXPECT_EQ(CheckText(kQuestion, answer, ColorMode::kPlain), "domain 'api': refused\n");
  answer.retry_after = kNever;
  answer.limits = {{.rule = "posts"}};
  EXPECT_EQ(CheckText(kQuestion, answer, ColorMode::kPlain),
            "domain 'api': refused; waiting does not help\n"
            "\n"
            "rule   limit  mode  answer   left  retry after  reset after\n"
            "posts  -      -     allowed     -            -            -\n");
}

TEST(CheckAnswerTest, ReportsWaitInVerdict) {
  CheckAnswer answer{.wait = 1500ms, .limits = {{.rule = "posts"}}};
  const auto verdict = [&] {
    const std::string text = CheckText(kQuestion, answer, ColorMode::kPlain);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(verdict(), "domain 'api': allowed after 1.5s");
  answer.wait = 0s;
  EXPECT_EQ(verdict(), "domain 'api': allowed");
}

TEST(CheckAnswerTest, ReportsThatNoLimitApplied) {
  CheckQuestion question = kQuestion;
  const auto text_of = [&](CheckCall call, const CheckAnswer& answer) {
    question.call = call;
    return CheckText(question, answer, ColorMode::kPlain);
  };
  EXPECT_EQ(text_of(CheckCall::kCheck, {}), "domain 'api': allowed; no limit applied\n");
  // Envoy's protocol has a status for every descriptor, including those without a limit.
  EXPECT_EQ(text_of(CheckCall::kCheck, {.limits = {{}}}),
            "domain 'api': allowed; no limit applied\n");
  EXPECT_EQ(text_of(CheckCall::kCheck, {.allowed = false}), "domain 'api': refused\n");
  EXPECT_EQ(text_of(CheckCall::kReset, {}),
            "domain 'api': no limit applies to these attributes; nothing was reset\n");
  EXPECT_EQ(text_of(CheckCall::kRefund, {}),
            "domain 'api': no limit applies to these attributes; nothing was refunded\n");
}

TEST(CheckAnswerTest, JsonHasSameContentsAndRoundsUp) {
  CheckAnswer answer = Refused();
  answer.retry_after = 30s + 1ns;
  const std::string json = CheckJson(kQuestion, answer);
  EXPECT_EQ(json, R"({"server":"127.0.0.1:8080","protocol":"http","domain":"api","allowed":false,)"
                  R"("retry_after_ms":30001,"wait_ms":0,"detail":"two\u000alines","decisions":[)"
                  R"({"rule":"plan","name":"s","mode":"enforce","allowed":true,"limit":50,)"
                  R"("remaining":49,"retry_after_ms":null,"reset_after_ms":20},)"
                  R"({"rule":"posts","name":"m","mode":"enforce","allowed":false,"limit":2,)"
                  R"("remaining":0,"retry_after_ms":"never","reset_after_ms":60000}]})"
                  "\n");
  EXPECT_TRUE(std::holds_alternative<Value>(ReadJson(json)));
}

}  // namespace
}  // namespace sluice::cli
