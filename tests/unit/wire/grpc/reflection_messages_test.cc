#include "wire/grpc/reflection_messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protobuf_message.h"

namespace sluice {
namespace {

using testing::BytesOf;
using testing::TextOf;

// Both versions have the same messages, so every test runs with both.
class ReflectionMessagesTest : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::string Request(const std::string& text) const {
    return BytesOf(GetParam() + ".ServerReflectionRequest", text);
  }
  [[nodiscard]] std::string Reply(std::string_view bytes) const {
    return TextOf(GetParam() + ".ServerReflectionResponse", bytes);
  }
};

INSTANTIATE_TEST_SUITE_P(Versions, ReflectionMessagesTest,
                         ::testing::Values("grpc.reflection.v1", "grpc.reflection.v1alpha"));

ReflectionRequest MustRead(std::string_view message) {
  const auto read = ReadReflectionRequest(message);
  const auto* request = std::get_if<ReflectionRequest>(&read);
  EXPECT_NE(request, nullptr);
  return request == nullptr ? ReflectionRequest{} : *request;
}

std::string FaultOf(std::string_view message) {
  const auto read = ReadReflectionRequest(message);
  const auto* fault = std::get_if<GrpcFault>(&read);
  return fault == nullptr ? "none" : fault->message;
}

TEST_P(ReflectionMessagesTest, ReadsEveryQuery) {
  const auto expect = [&](const std::string& text, ReflectionAsk ask, std::string_view name) {
    const std::string message = Request(text);
    const ReflectionRequest request = MustRead(message);
    EXPECT_EQ(request.ask, ask) << text;
    EXPECT_EQ(request.name, name) << text;
    EXPECT_EQ(request.message, message);
  };
  expect(R"(file_by_filename: "a.proto")", ReflectionAsk::kFileByName, "a.proto");
  expect(R"(file_containing_symbol: "a.B")", ReflectionAsk::kFileBySymbol, "a.B");
  expect(R"(file_containing_extension { containing_type: "a.B" extension_number: 5 })",
         ReflectionAsk::kExtension, "");
  expect(R"(all_extension_numbers_of_type: "a.B")", ReflectionAsk::kExtensions, "a.B");
  expect(R"(list_services: "")", ReflectionAsk::kServices, "");
  expect("", ReflectionAsk::kNothing, "");
  EXPECT_EQ(MustRead(Request(R"(host: "h" list_services: "*")")).ask, ReflectionAsk::kServices);
}

TEST_P(ReflectionMessagesTest, UsesTheLastOfSeveralQueries) {
  const std::string message =
      Request(R"(file_by_filename: "a")") + Request(R"(file_containing_symbol: "b")");
  EXPECT_EQ(MustRead(message).ask, ReflectionAsk::kFileBySymbol);
  EXPECT_EQ(MustRead(message).name, "b");
  const std::string extension = message + Request("file_containing_extension {}");
  EXPECT_EQ(MustRead(extension).ask, ReflectionAsk::kExtension);
  EXPECT_EQ(MustRead(extension).name, "");
}

TEST(ReflectionRequestTest, RejectsMalformedRequests) {
  EXPECT_EQ(FaultOf("\x1A\x01\xFF"), "message_request: is not UTF-8");
  EXPECT_EQ(FaultOf("\x0A\x01\xFF"), "host: is not UTF-8");
  EXPECT_EQ(FaultOf("\x38\x01"), "message_request: is of another type");
  EXPECT_EQ(FaultOf("\x08\x01"), "host: is of another type");
  EXPECT_EQ(FaultOf("\x3A\x05"), "the message is cut off");
  EXPECT_EQ(FaultOf("\x43\x44"), "the message has a group");
  EXPECT_EQ(FaultOf("\x10\x01\x42\x01x"), "none");
}

TEST_P(ReflectionMessagesTest, RepeatsTheRequestInReplies) {
  const std::string message = Request(R"(host: "h" list_services: "*")");
  const std::string head =
      "valid_host: \"h\" original_request { host: \"h\" list_services: \"*\" } ";
  const std::vector<std::string_view> names = {"a.B", "c.D"};
  std::string out;
  AppendReflectionServices(MustRead(message), names, out);
  EXPECT_EQ(Reply(out), head +
                            "list_services_response { service { name: \"a.B\" } "
                            "service { name: \"c.D\" } }");
  out.clear();
  AppendReflectionFiles(MustRead(message), names, out);
  EXPECT_EQ(Reply(out), head +
                            "file_descriptor_response { file_descriptor_proto: \"a.B\" "
                            "file_descriptor_proto: \"c.D\" }");
  out.clear();
  AppendReflectionFault(MustRead(message), {GrpcStatus::kNotFound, "no such file"}, out);
  EXPECT_EQ(Reply(out), head + "error_response { error_code: 5 error_message: \"no such file\" }");
}

TEST_P(ReflectionMessagesTest, RepeatsAnEmptyRequest) {
  std::string out;
  AppendReflectionServices(MustRead(""), {}, out);
  EXPECT_EQ(Reply(out), "original_request { } list_services_response { }");
}

}  // namespace
}  // namespace sluice
