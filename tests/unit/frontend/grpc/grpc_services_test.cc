#include "frontend/grpc/grpc_services.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "unit/frontend/front_fixture.h"
#include "wire/grpc/descriptor_set.h"
#include "wire/grpc/grpc_frame.h"
#include "wire/grpc/health_messages.h"

namespace sluice {
namespace {

class StreamedExchange final : public Exchange {
 public:
  void Finish() override { ++finished; }
  void Send() override {
    ++sent;
    if (reads) said += std::exchange(reply.body, {});
  }
  int finished = 0;
  int sent = 0;
  bool reads = false;  // whether the caller reads what is sent
  std::string said;
};

std::string Framed(std::string_view message) {
  std::string out;
  const std::size_t begin = BeginGrpcMessage(out);
  out += message;
  EndGrpcMessage(begin, out);
  return out;
}

// Encodes a protobuf field that holds a text.
std::string Field(int number, std::string_view text) {
  std::string out;
  out += static_cast<char>(number << 3 | 2);
  out += static_cast<char>(text.size());
  return out.append(text);
}

class GrpcServicesTest : public testing::FrontFixture {
 protected:
  GrpcServicesTest() {
    HttpFrontOptions options = Options();
    options.services = &index_;
    options.is_ready = [this] { return ready_; };
    full_ = std::make_unique<HttpFront>(gate_, RemoteAccess{}, clock_, meter_, options);
  }

  HttpRequest Request(std::string_view path, std::string_view body, const Header& type) const {
    HttpRequest request;
    request.method = "POST";
    request.target = path;
    request.headers = {&type, 1};
    request.version = HttpRequest::Version::kHttp2;
    request.body = body;
    request.peer = &peer_;
    return request;
  }

  // Makes a call whose body is complete.
  const HttpReply& Call(std::string_view path, std::string_view body) {
    static constexpr Header kType{"content-type", "application/grpc"};
    unary_.request = Request(path, body, kType);
    unary_.reply.Clear();
    Exchange* const batch = &unary_;
    full_->Serve({&batch, 1});
    return unary_.reply;
  }

  static std::string Status(const HttpReply& reply) {
    for (const HeaderList* list : {&reply.trailers, &reply.headers}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        if ((*list)[i].name == "grpc-status") return std::string((*list)[i].value);
      }
    }
    return "none";
  }

  void Stream(std::string_view path, std::string_view body, bool is_whole, StreamEvent event) {
    static constexpr Header kType{"content-type", "application/grpc+proto"};
    streamed_.request = Request(path, body, kType);
    streamed_.request.is_whole = is_whole;
    streamed_.taken = 0;
    ASSERT_EQ(full_->DeliveryFor(streamed_.request), BodyDelivery::kStreamed);
    full_->ServeStream(streamed_, event);
  }

  static std::string Health(ServingStatus status) {
    std::string message;
    AppendHealthReply(status, message);
    return Framed(message);
  }

  ReflectionIndex index_ = ReflectionIndex::Make(DescriptorSet()).value();
  bool ready_ = true;
  Peer peer_;
  std::unique_ptr<HttpFront> full_;
  testing::CountedExchange unary_;
  StreamedExchange streamed_;
};

TEST_F(GrpcServicesTest, HealthFollowsReadiness) {
  constexpr std::string_view kCheck = "/grpc.health.v1.Health/Check";
  EXPECT_EQ(Call(kCheck, Framed("")).body, Health(ServingStatus::kServing));
  EXPECT_EQ(Call(kCheck, Framed(Field(1, "sluice.v1.Limiter"))).body,
            Health(ServingStatus::kServing));
  EXPECT_EQ(Status(Call(kCheck, Framed(Field(1, "nobody")))), "5");
  ready_ = false;
  EXPECT_EQ(Call(kCheck, Framed("")).body, Health(ServingStatus::kNotServing));
}

TEST_F(GrpcServicesTest, KeepsWatchOpenUntilServerDrains) {
  constexpr std::string_view kWatch = "/grpc.health.v1.Health/Watch";
  Stream(kWatch, Framed(""), true, StreamEvent::kMore);
  EXPECT_EQ(streamed_.reply.body, Health(ServingStatus::kServing));
  EXPECT_EQ(streamed_.sent, 1);
  EXPECT_EQ(streamed_.finished, 0);
  streamed_.reply.body.clear();
  Stream(kWatch, "", true, StreamEvent::kDrainAhead);
  EXPECT_EQ(streamed_.reply.body, Health(ServingStatus::kNotServing));
  EXPECT_EQ(streamed_.sent, 2);
  EXPECT_EQ(streamed_.finished, 0);
  streamed_.reply.body.clear();
  Stream(kWatch, "", true, StreamEvent::kDraining);
  EXPECT_EQ(streamed_.reply.body, "");
  EXPECT_EQ(streamed_.finished, 1);
}

TEST_F(GrpcServicesTest, AnswersEachReflectionRequestOnArrival) {
  constexpr std::string_view kInfo =
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  const std::string question = Framed(Field(7, ""));
  Stream(kInfo, question + question.substr(0, 3), false, StreamEvent::kMore);
  EXPECT_EQ(streamed_.taken, question.size());
  EXPECT_EQ(streamed_.sent, 1);
  EXPECT_NE(streamed_.reply.body.find("envoy.service.ratelimit.v3.RateLimitService"),
            std::string::npos);
  streamed_.reply.body.clear();
  Stream(kInfo, Framed(Field(4, "sluice.v1.Limiter")), true, StreamEvent::kMore);
  EXPECT_NE(streamed_.reply.body.find("CheckBatch"), std::string::npos);
  EXPECT_EQ(streamed_.finished, 1);
  EXPECT_EQ(Status(streamed_.reply), "0");
}

TEST_F(GrpcServicesTest, EndsTruncatedStreamWithFault) {
  Stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", std::string_view("\0\0", 2),
         true, StreamEvent::kMore);
  EXPECT_EQ(Status(streamed_.reply), "13");
  EXPECT_EQ(streamed_.finished, 1);
}

TEST_F(GrpcServicesTest, EndsStreamIfRepliesAreNotRead) {
  std::string questions;
  for (int i = 0; i < 1000; ++i) questions += Framed(Field(4, "sluice.v1.Limiter"));
  Stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", questions, false,
         StreamEvent::kMore);
  EXPECT_EQ(Status(streamed_.reply), "8");
  EXPECT_EQ(streamed_.finished, 1);
  EXPECT_LT(streamed_.reply.body.size(), std::size_t{512} << 10U);
}

TEST_F(GrpcServicesTest, AnswersAllMessagesIfRepliesAreRead) {
  std::string questions;
  for (int i = 0; i < 1000; ++i) questions += Framed(Field(4, "sluice.v1.Limiter"));
  streamed_.reads = true;
  Stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", questions, false,
         StreamEvent::kMore);
  EXPECT_EQ(streamed_.finished, 0);
  EXPECT_EQ(streamed_.taken, questions.size());
  EXPECT_GT(streamed_.said.size(), std::size_t{1} << 20U);
}

TEST_F(GrpcServicesTest, RefusesResetByWebPage) {
  Use({testing::Rule("posts", "1/h")});
  const testing::Call reset{.target = "/v1/reset", .body = R"({"domain":"api","attributes":{}})"};
  EXPECT_EQ(Ask(reset).status, 200);
  testing::Call by_page = reset;
  by_page.headers = {{"Origin", "http://evil.test"}};
  EXPECT_EQ(Ask(by_page).status, 403);
  by_page.headers = {{"sec-fetch-site", "same-origin"}};
  EXPECT_EQ(Ask(by_page).status, 403);
}

TEST_F(GrpcServicesTest, LimiterServiceDecidesByRules) {
  Use({testing::Rule("posts", "1/h")});
  const std::string attribute = Field(1, "user") + Field(2, "42");
  const std::string check = Framed(Field(1, "api") + Field(2, attribute));
  constexpr std::string_view kCheck = "/sluice.v1.Limiter/Check";
  const std::string first = Call(kCheck, check).body;
  EXPECT_EQ(Status(unary_.reply), "0");
  const std::string second = Call(kCheck, check).body;
  EXPECT_EQ(Status(unary_.reply), "0");
  EXPECT_NE(first, second);
  EXPECT_NE(second.find("posts"), std::string::npos);
  EXPECT_EQ(Status(Call(kCheck, Framed(Field(1, "none")))), "5");
  EXPECT_EQ(Status(Call(kCheck, Framed(""))), "3");
  EXPECT_EQ(Status(Call("/sluice.v1.Limiter/Nothing", Framed(""))), "12");
}

TEST_F(GrpcServicesTest, RequiresPermissionToLiftLimits) {
  Use({testing::Rule("posts", "1/h")});
  const std::string check = Framed(Field(1, "api"));
  peer_.address = "192.0.2.1";
  EXPECT_EQ(Status(Call("/sluice.v1.Limiter/Reset", check)), "7");
  EXPECT_EQ(Status(Call("/sluice.v1.Limiter/Refund", check)), "7");
  EXPECT_EQ(Status(Call("/sluice.v1.Limiter/Peek", check)), "0");
  peer_.address = "127.0.0.1";
  EXPECT_EQ(Status(Call("/sluice.v1.Limiter/Reset", check)), "0");
}

// A message that cannot be answered adds nothing to the replies before it.
TEST_F(GrpcServicesTest, KeepsRepliesBeforeFault) {
  Stream("/grpc.health.v1.Health/Watch", Framed("") + Framed("") + Framed("\x0a\x05"), true,
         StreamEvent::kMore);
  EXPECT_EQ(streamed_.reply.body,
            Health(ServingStatus::kServing) + Health(ServingStatus::kServing));
  EXPECT_EQ(Status(streamed_.reply), "3");
  EXPECT_EQ(streamed_.finished, 1);
}

// The check in the middle is for an unknown domain; the others are answered all the same.
TEST_F(GrpcServicesTest, AnswersEachCheckOfBatch) {
  Use({testing::Rule("posts", "2/h")});
  const std::string good = Field(1, Field(1, "api"));
  const std::string unknown = Field(1, Field(1, "elsewhere"));
  const std::string body =
      Call("/sluice.v1.Limiter/CheckBatch", Framed(good + unknown + good)).body;
  EXPECT_EQ(Status(unary_.reply), "0");
  std::string_view answers = std::string_view(body).substr(kGrpcPrefixSize);
  std::string kinds;  // field numbers of the answers
  while (answers.size() >= 3) {
    ASSERT_EQ(answers[0], '\x0a');
    ASSERT_LT(static_cast<unsigned char>(answers[1]), 0x80);
    kinds += static_cast<char>('0' + (answers[2] >> 3));
    answers.remove_prefix(2 + static_cast<std::size_t>(answers[1]));
  }
  EXPECT_EQ(kinds, "121");
}

}  // namespace
}  // namespace sluice
