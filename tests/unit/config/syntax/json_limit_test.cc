// Tests ReadJson, ParseLimit and FormatLimit together: limits as JSON, parsed and formatted.
#include <gtest/gtest.h>

#include <string>

#include "config/syntax/json.h"
#include "core/limit/format_limit.h"
#include "core/limit/parse_limit.h"

namespace sluice {
namespace {

std::variant<Limit, PositionedError> Read(const std::string& text) {
  auto value = ReadJson(text.starts_with('{') ? text : "\"" + text + "\"");
  if (auto* error = std::get_if<PositionedError>(&value)) return *error;
  return ParseLimit(std::get<Value>(value), [](std::string_view name) {
    return std::make_shared<const Zone>(Zone{std::string(name), 0, {}});
  });
}

TEST(JsonLimitTest, FormattedLimitParsesBack) {
  for (const std::string text : {
           R"(100/m)",
           R"(2/month)",
           R"(2/30d)",
           R"(7/1.5h)",
           R"({"algorithm":"concurrency","max_in_flight":20,"ttl":"1.5s"})",
           R"({"algorithm":"fixed_window","rate":"0/s","window":"first_request"})",
           R"({"algorithm":"fixed_window","rate":"2/d","window":"calendar","zone":"Asia/Tokyo"})",
           R"({"algorithm":"leaky_bucket","rate":"5/s","burst":12,"delay_after":8})",
           R"({"algorithm":"pacer","rate":"2/s","max_wait":"1h","warm_up":"4s","cold_factor":2.5})",
           R"({"algorithm":"pacer","rate":"2/s","burst":0.125})",
           R"({"algorithm":"sliding_buckets","rate":"100/h","buckets":3,"oldest":"lenient"})",
           R"({"algorithm":"sliding_log","rate":"10/s","count_refused":true,"min_gap":"2ms"})",
           R"({"algorithm":"sliding_window","rate":"50/m"})",
           R"({"rate":"1/s","burst":10})",
           R"({"rate":"3/10ms","refill":"interval","aligned":true,"max_wait":"12ms"})",
           R"({"rate":"3/10ms","max_wait":0})",
       }) {
    const auto limit = Read(text);
    ASSERT_TRUE(std::holds_alternative<Limit>(limit))
        << text << ": " << std::get<PositionedError>(limit).message;
    const std::string written = FormatLimit(std::get<Limit>(limit).spec);
    EXPECT_EQ(written, text);
    EXPECT_EQ(std::get<Limit>(Read(written)), std::get<Limit>(limit));
  }
}

TEST(JsonLimitTest, ErrorsNameFileLineAndColumn) {
  const auto limit = Read("{\n  \"rate\": \"100/m\",\n  \"brust\": 20\n}");
  EXPECT_EQ(Describe("rules/api.json", std::get<PositionedError>(limit)),
            "rules/api.json:3:3: unknown key 'brust'; did you mean 'burst'?");
}

}  // namespace
}  // namespace sluice
