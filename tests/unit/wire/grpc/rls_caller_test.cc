#include "wire/grpc/rls_caller.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "protobuf_message.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using testing::BytesOf;
using testing::TextOf;

const std::string kRequestType = "envoy.service.ratelimit.v3.RateLimitRequest";
const std::string kReplyType = "envoy.service.ratelimit.v3.RateLimitResponse";

std::string Asked(std::int64_t cost) {
  const std::vector<Attribute> entries = {{"user", "42"}, {"path", ""}};
  std::string out = "before";
  AppendRlsQuestion({"api", entries, Cost{cost}}, out);
  EXPECT_TRUE(out.starts_with("before"));
  return TextOf(kRequestType, out.substr(6));
}

std::string FaultOf(const std::string& message) {
  RlsAnswer answer;
  return std::string(ReadRlsAnswer(message, answer).value_or("none"));
}

TEST(RlsCallerTest, WritesARequestWithOneDescriptor) {
  const std::string descriptor =
      R"(descriptors { entries { key: "user" value: "42" } entries { key: "path" })";
  EXPECT_EQ(Asked(3), R"(domain: "api" )" + descriptor + " } hits_addend: 3");
  EXPECT_EQ(Asked(1), R"(domain: "api" )" + descriptor + " } hits_addend: 1");
}

TEST(RlsCallerTest, WritesCostsThatDoNotFitTheRequestInTheDescriptor) {
  EXPECT_NE(Asked(0).find("hits_addend { }"), std::string::npos) << Asked(0);
  EXPECT_NE(Asked(4294967295).find("} hits_addend: 4294967295"), std::string::npos);
  EXPECT_NE(Asked(4294967296).find("hits_addend { value: 4294967296 }"), std::string::npos);
}

TEST(RlsCallerTest, WritesLongTexts) {
  const std::string text(1000, 'x');
  const std::vector<Attribute> entries(20, Attribute{text, text});
  std::string out;
  AppendRlsQuestion({text, entries, Cost{1}}, out);
  RlsRequest request;
  ASSERT_FALSE(ReadRlsRequest(out, {}, request).has_value());
  EXPECT_EQ(request.entries.size(), 20U);
  EXPECT_EQ(request.entries.back().value, text);
}

TEST(RlsCallerTest, ReadsReplies) {
  const std::string message = BytesOf(kReplyType, R"(
      overall_code: OVER_LIMIT
      statuses { code: OK }
      statuses {
        code: OVER_LIMIT
        current_limit { requests_per_unit: 5 unit: HOUR name: "posts" unit_multiplier { value: 2 } }
        limit_remaining: 3
        duration_until_reset { seconds: 7 nanos: 5 }
      }
      response_headers_to_add { key: "a" value: "b" })");
  RlsAnswer answer;
  answer.statuses.resize(9);
  ASSERT_FALSE(ReadRlsAnswer(message, answer).has_value());
  EXPECT_EQ(answer.overall, RlsCode::kOverLimit);
  ASSERT_EQ(answer.statuses.size(), 2U);
  EXPECT_EQ(answer.statuses[0].code, RlsCode::kOk);
  EXPECT_FALSE(answer.statuses[0].limit.has_value());
  EXPECT_FALSE(answer.statuses[0].until_reset.has_value());
  const RlsStatus& status = answer.statuses[1];
  EXPECT_EQ(status.code, RlsCode::kOverLimit);
  ASSERT_TRUE(status.limit.has_value());
  EXPECT_EQ(status.limit->requests_per_unit, 5U);
  EXPECT_EQ(status.limit->unit, RlsUnit::kHour);
  EXPECT_EQ(status.limit->name, "posts");
  EXPECT_EQ(status.limit->multiplier, 2U);
  EXPECT_EQ(status.remaining, 3U);
  EXPECT_EQ(status.until_reset, 7s + 5ns);
}

TEST(RlsCallerTest, RejectsMalformedReplies) {
  const std::string no_code = "has a code that is neither OK nor OVER_LIMIT";
  EXPECT_EQ(FaultOf(""), no_code);
  EXPECT_EQ(FaultOf(std::string("\x08\x00", 2)), no_code);
  EXPECT_EQ(FaultOf("\x08\x03"), no_code);
  EXPECT_EQ(FaultOf("\x08\x01\x12\x02\x08\x07"), no_code);
  EXPECT_EQ(FaultOf("\x08"), "is cut off");
  EXPECT_EQ(FaultOf("\x08\x01\x12\x05\x08"), "is cut off");
  EXPECT_EQ(FaultOf(BytesOf(kReplyType,
                            "overall_code: OK "
                            "statuses { code: OK duration_until_reset { seconds: -1 } }")),
            "has a duration until the reset that is none");
}

// The client reads every reply exactly as our own server writes it.
TEST(RlsCallerTest, ReadsBackWrittenReplies) {
  RlsStatus status;
  status.code = RlsCode::kOverLimit;
  status.limit = RlsLimit{4'294'967'295, RlsUnit::kWeek, "n", 3};
  status.remaining = 4'294'967'295;
  status.until_reset = 1000h + 1ns;
  RlsReply reply;
  reply.overall = RlsCode::kOverLimit;
  reply.statuses = {&status, 1};
  std::string out;
  AppendRlsReply(reply, out);
  RlsAnswer answer;
  ASSERT_FALSE(ReadRlsAnswer(out, answer).has_value());
  EXPECT_EQ(answer.statuses.at(0).until_reset, status.until_reset);
  EXPECT_EQ(answer.statuses.at(0).remaining, status.remaining);
  EXPECT_EQ(answer.statuses.at(0).limit->unit, RlsUnit::kWeek);
}

}  // namespace
}  // namespace sluice
