#include "frontend/http/http_front.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "unit/frontend/front_fixture.h"

namespace sluice {
namespace {

using testing::CountedExchange;
using testing::Deny;
using testing::Descriptor;
using testing::FrontFixture;
using testing::Rule;

class HttpFrontTest : public FrontFixture {
 protected:
  // Makes a framed RateLimitRequest with one descriptor, {"user": "42"}.
  static std::string RlsCall() {
    const std::string entry =
        "\x0a\x04user\x12\x02"
        "42";
    const auto field = [](char tag, const std::string& bytes) {
      return std::string{tag, static_cast<char>(bytes.size())} + bytes;
    };
    const std::string message = field('\x0a', "api") + field('\x12', field('\x0a', entry));
    return std::string("\0\0\0\0", 4) + static_cast<char>(message.size()) + message;
  }
};

TEST_F(HttpFrontTest, RoutesGrpcByPathVersionAndContentType) {
  Use({}, {Descriptor("user", "1/m")});
  const testing::Call call = {
      .target = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
      .body = RlsCall(),
      .headers = {{"content-type", "application/grpc"}, {"te", "trailers"}},
      .version = HttpRequest::Version::kHttp2};
  const HttpReply& reply = Ask(call);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Told("content-type"), "application/grpc");
  ASSERT_EQ(reply.trailers.size(), 1U);
  EXPECT_EQ(reply.trailers[0], (Header{"grpc-status", "0"}));
  EXPECT_EQ(reply.body.substr(5, 2), std::string("\x08\x01"));  // OK
  Ask(call);
  EXPECT_EQ(reply.body.substr(5, 2), std::string("\x08\x02"));  // OVER_LIMIT
}

TEST_F(HttpFrontTest, RepliesUnimplementedForUnknownGrpcMethod) {
  Ask({.target = "/sluice.v1.Limiter/Guess",
       .headers = {{"content-type", "application/grpc+proto"}},
       .version = HttpRequest::Version::kHttp2});
  EXPECT_EQ(Told("grpc-status"), "12");
}

// A proxy takes 200 for permission to pass the request on.
TEST_F(HttpFrontTest, IgnoresGrpcContentTypeForForwardAuth) {
  Use({Deny("all")});
  for (const auto version : {HttpRequest::Version::kHttp1, HttpRequest::Version::kHttp2}) {
    for (const std::string type :
         {"application/grpc", "application/grpc+proto", "application/grpc;x=1"}) {
      const HttpReply& reply = Ask({.method = "GET",
                                    .target = "/auth/api/private",
                                    .headers = {{"content-type", type}, {"te", "trailers"}},
                                    .version = version});
      EXPECT_EQ(reply.status, 403) << type;
    }
  }
}

TEST_F(HttpFrontTest, Replies415ForGrpcContentTypeOutsideServices) {
  const auto expect = [this](const std::string& target, int status) {
    for (const auto version : {HttpRequest::Version::kHttp1, HttpRequest::Version::kHttp2}) {
      const HttpReply& reply = Ask({.target = target,
                                    .body = R"({"domain":"api"})",
                                    .headers = {{"content-type", "application/grpc"}},
                                    .version = version});
      EXPECT_EQ(reply.status, status) << target;
    }
  };
  for (const char* target : {"/json", "/v1/check", "/openapi.yaml"}) expect(target, 415);
  // gRPC maps 404 to UNIMPLEMENTED.
  for (const char* target :
       {"/", "/nowhere", "/a.Service/Method", "/sluice.v1", "/sluice.v1.Limiter", "*", ""}) {
    expect(target, 404);
  }
}

TEST_F(HttpFrontTest, Replies415ForGrpcOverHttp1) {
  const HttpReply& reply =
      Ask({.target = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
           .body = RlsCall(),
           .headers = {{"content-type", "application/grpc"}}});
  EXPECT_EQ(reply.status, 415);
}

// The gRPC protocol requires 415 for these.
TEST_F(HttpFrontTest, Replies415ForOtherContentTypesOnServices) {
  for (const std::string type : {"", "text/plain", "application/json", "application/grp"}) {
    for (const std::string target : {"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
                                     "/sluice.v1.Limiter/Check"}) {
      EXPECT_EQ(Ask({.target = target, .headers = {{"content-type", type}}}).status, 415) << type;
      EXPECT_EQ(Told("Content-Type"), "application/problem+json");
    }
  }
}

TEST_F(HttpFrontTest, Replies404ForUnknownPaths) {
  for (const std::string target : {"/", "", "*", "/v2/check", "/v1", "/authentication", "/auth"}) {
    EXPECT_EQ(Ask({.target = target}).status, 404) << target;
    EXPECT_EQ(Told("Content-Type"), "application/problem+json");
  }
}

TEST_F(HttpFrontTest, FinishesEveryExchangeOnce) {
  Use({Rule("all", "1/m")});
  constexpr Header kTypeOfJson{"Content-Type", "application/json"};
  std::array<CountedExchange, 3> exchanges;
  std::array<Exchange*, 3> batch{};
  const Peer peer{.address = "127.0.0.1", .port = 1, .uid = {}};
  for (std::size_t i = 0; i < batch.size(); ++i) {
    HttpRequest& request = exchanges[i].request;
    request.method = "POST";
    request.target = "/v1/check";
    request.body = R"({"domain":"api"})";
    request.headers = {&kTypeOfJson, 1};
    request.peer = &peer;
    batch[i] = &exchanges[i];
  }
  front_.Serve(batch);
  for (const CountedExchange& each : exchanges) EXPECT_EQ(each.finished, 1);
  EXPECT_EQ(exchanges[0].reply.status, 200);
  EXPECT_EQ(exchanges[1].reply.status, 429);
  EXPECT_EQ(exchanges[2].reply.status, 429);
}

}  // namespace
}  // namespace sluice
