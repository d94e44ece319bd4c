#include "wire/grpc/health_messages.h"

#include <gtest/gtest.h>

#include <string>

#include "protobuf_message.h"

namespace sluice {
namespace {

std::string Read(std::string_view message) {
  const auto read = ReadHealthRequest(message);
  if (const auto* fault = std::get_if<GrpcFault>(&read)) {
    EXPECT_EQ(fault->status, GrpcStatus::kInvalidArgument);
    return "fault: " + fault->message;
  }
  return std::string(*std::get_if<std::string_view>(&read));
}

TEST(HealthMessagesTest, ReadsTheService) {
  const std::string type = "grpc.health.v1.HealthCheckRequest";
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read(testing::BytesOf(type, R"(service: "sluice.v1.Limiter")")), "sluice.v1.Limiter");
  const auto message = testing::MessageOf(type, R"(service: "s")");
  testing::AddUnknownFields(*message);
  EXPECT_EQ(Read(message->SerializeAsString()), "s");
}

TEST(HealthMessagesTest, RejectsMalformedRequests) {
  EXPECT_EQ(Read("\x0A\x01\xFF"), "fault: service: is not UTF-8");
  EXPECT_EQ(Read("\x08\x01"), "fault: service: is of another type");
  EXPECT_EQ(Read("\x0A\x02s"), "fault: the message is cut off");
}

TEST(HealthMessagesTest, WritesEveryStatus) {
  const auto text_of = [](ServingStatus status) {
    std::string out;
    AppendHealthReply(status, out);
    return testing::TextOf("grpc.health.v1.HealthCheckResponse", out);
  };
  EXPECT_EQ(text_of(ServingStatus::kServing), "status: SERVING");
  EXPECT_EQ(text_of(ServingStatus::kNotServing), "status: NOT_SERVING");
  EXPECT_EQ(text_of(ServingStatus::kServiceUnknown), "status: SERVICE_UNKNOWN");
}

}  // namespace
}  // namespace sluice
