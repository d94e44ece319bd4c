#include "simulate/limit_text.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

std::string ErrorOf(std::string_view text) {
  const Result<WrittenLimit> limit = ReadLimitText(text);
  return limit ? "no error" : limit.error().message;
}

TEST(LimitTextTest, ReadsStringFormWithAndWithoutQuotes) {
  for (const std::string_view text : {"100/m", "\"100/m\"", " \"100/m\""}) {
    const WrittenLimit limit = ReadLimitText(text).value();
    ASSERT_TRUE(limit.spec.rate.has_value());
    EXPECT_EQ(limit.spec.rate->count, 100);
    EXPECT_EQ(limit.spec.rate->period, 60s);
    EXPECT_EQ(limit.title, "100/m");
    EXPECT_EQ(limit.text, text);
  }
}

TEST(LimitTextTest, BuildsTitleOfMappingFromRateAndAlgorithm) {
  EXPECT_EQ(ReadLimitText(R"({"burst":5,"rate":"1/s"})").value().title, "1/s, burst 5");
  EXPECT_EQ(ReadLimitText(R"({"count_refused":true,"algorithm":"sliding_log","rate":"2/s"})")
                .value()
                .title,
            "2/s, sliding_log, count_refused true");
  EXPECT_EQ(ReadLimitText(R"({"algorithm":"concurrency","max_in_flight":20})").value().title,
            "concurrency, max_in_flight 20");
}

TEST(LimitTextTest, ReportsPositionOfErrorInMapping) {
  EXPECT_EQ(ErrorOf(R"({"rate":"1/s","brust":5})"),
            "1:15: unknown key 'brust'; did you mean 'burst'?");
  EXPECT_TRUE(ErrorOf("{\n\"rate\":5}").starts_with("2:8: "));
  EXPECT_TRUE(ErrorOf("{").starts_with("1:2: "));
  EXPECT_TRUE(ErrorOf("[\"1/s\"]").starts_with("1:1: "));
}

TEST(LimitTextTest, ReportsWhatStringFormExpects) {
  EXPECT_NE(ErrorOf("5").find("expected COUNT/PERIOD"), std::string::npos);
  EXPECT_NE(ErrorOf("").find("expected COUNT/PERIOD"), std::string::npos);
}

}  // namespace
}  // namespace sluice::cli
