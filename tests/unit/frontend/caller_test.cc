#include "frontend/caller.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "unit/frontend/front_fixture.h"
#include "unit/wire/grpc/protobuf_message.h"

namespace sluice::testing {
namespace {

constexpr const char* kToken = "sixteen-bytes-or-more";

// Calls that lift limits, and the reports about them.
class CallerTest : public FrontFixture {
 protected:
  CallerTest() {
    Use({Per("user", Rule("posts", "2/h"))}, {Descriptor("user", "2/h")});
    options_ = Options();
    options_.callers.loopback = false;
    options_.callers.warnings = &warnings_;
    options_.callers.audit = &audit_;
  }

  // Sends the call to a front with the current options_.
  const HttpReply& Send(const Call& call) {
    HttpFront front(gate_, RemoteAccess{}, clock_, meter_, options_);
    return Ask(front, call);
  }
  int Reset(std::vector<Header> headers = {}, std::string peer = "127.0.0.1") {
    return Send({.target = "/v1/reset",
                 .body = R"({"domain":"api","attributes":{"user":"42"}})",
                 .headers = std::move(headers),
                 .peer = std::move(peer)})
        .status;
  }
  // Returns the code of the first status of an RLS call whose descriptor has more fields, in text
  // format; 1 is OK and 2 is OVER_LIMIT.
  int ShouldRateLimit(std::string_view fields = "", std::string peer = "192.0.2.1") {
    const std::string message = BytesOf(
        "envoy.service.ratelimit.v3.RateLimitRequest",
        Concat(R"(domain: "api" descriptors { entries { key: "user" value: "42" } )", fields, "}"));
    const std::string frame =
        std::string("\0\0\0\0", 4) + static_cast<char>(message.size()) + message;
    const HttpReply& reply =
        Send({.target = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit",
              .body = frame,
              .headers = {{"content-type", "application/grpc"}},
              .peer = std::move(peer),
              .version = HttpRequest::Version::kHttp2});
    EXPECT_EQ(reply.status, 200);
    return reply.body.size() < 7 ? 0 : reply.body[6];
  }

  std::vector<std::string> lines_;
  FrontWarnings warnings_{clock_, [this](WarningCause cause, const std::string& text) {
                            lines_.push_back(Concat(WordOf(cause), ": ", text));
                          }};
  AuditLog audit_{clock_, [this](std::string_view text) { lines_.emplace_back(text); }};
  HttpFrontOptions options_;
};

TEST_F(CallerTest, RefusesResetOverLoopbackWithoutCredential) {
  EXPECT_EQ(Reset(), 403);
  EXPECT_EQ(Told("WWW-Authenticate"), "none");
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "lift_refused: a reset by 127.0.0.1:1 was refused: it has no permission "
                        "(callers.* in the settings)"}));
}

TEST_F(CallerTest, AsksForTokenIfOneIsConfigured) {
  options_.callers.token = kToken;
  EXPECT_EQ(Reset(), 401);
  EXPECT_EQ(Told("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(warnings_.CountOf(WarningCause::kWrongCredential), 0U);
  EXPECT_EQ(Reset({{"Authorization", "Bearer sixteen-bytes-or-less"}}), 401);
  EXPECT_EQ(warnings_.CountOf(WarningCause::kWrongCredential), 1U);
  EXPECT_EQ(lines_.back(), "wrong_credential: the token that 127.0.0.1:1 showed is wrong");
  EXPECT_EQ(Reset({{"authorization", "Bearer sixteen-bytes-or-more"}}, "192.0.2.1"), 200);
  EXPECT_EQ(lines_.back(),
            "reset by 192.0.2.1:1, allowed by callers.token; domain 'api', 'user'='42'");
}

TEST_F(CallerTest, IgnoresOverrideWithoutPermission) {
  constexpr const char* kLimit = "limit { requests_per_unit: 9 unit: HOUR }";
  EXPECT_EQ(ShouldRateLimit(kLimit), 1);
  EXPECT_EQ(ShouldRateLimit(kLimit), 1);
  EXPECT_EQ(ShouldRateLimit(kLimit), 2) << "the rule allows two per hour";
  EXPECT_EQ(warnings_.CountOf(WarningCause::kLiftIgnored), 3U);
  EXPECT_EQ(lines_, (std::vector<std::string>{
                        "lift_ignored: a limit override by 192.0.2.1:1 was ignored: it has no "
                        "permission (callers.* in the settings); domain 'api', 'user'='42'"}));
  clock_.Advance(std::chrono::minutes{1});
  ShouldRateLimit(kLimit);
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(CallerTest, IgnoresMalformedOverrideWithoutPermission) {
  constexpr const char* kLimit =
      "limit { requests_per_unit: 9 unit: HOUR unit_multiplier { value: 2 } }";
  EXPECT_EQ(ShouldRateLimit(kLimit), 1);
  EXPECT_EQ(ShouldRateLimit(kLimit, "127.0.0.1"), 0) << "INVALID_ARGUMENT";
}

TEST_F(CallerTest, RefundsNothingForNegativeCostWithoutPermission) {
  EXPECT_EQ(ShouldRateLimit("hits_addend { value: 2 }"), 1);
  EXPECT_EQ(ShouldRateLimit("hits_addend { value: 2 } is_negative_hits: true"), 1);
  EXPECT_EQ(ShouldRateLimit(), 2);
  EXPECT_EQ(warnings_.CountOf(WarningCause::kLiftIgnored), 1U);
  EXPECT_EQ(ShouldRateLimit("hits_addend { value: 2 } is_negative_hits: true", "127.0.0.1"), 1);
  EXPECT_EQ(lines_.back(), "refund by 127.0.0.1:1, allowed by loopback; domain 'api', 'user'='42'");
  EXPECT_EQ(ShouldRateLimit(), 1);
}

TEST_F(CallerTest, AuditsOverridesOfGrpcOverLoopback) {
  constexpr const char* kLimit = "limit { requests_per_unit: 1 unit: HOUR }";
  EXPECT_EQ(ShouldRateLimit(kLimit, "127.0.0.1"), 1);
  EXPECT_EQ(ShouldRateLimit(kLimit, "127.0.0.1"), 2);
  EXPECT_EQ(audit_.count(), 2U);
  EXPECT_EQ(lines_.back(),
            "limit override by 127.0.0.1:1, allowed by loopback; domain 'api', 'user'='42'");
}

TEST_F(CallerTest, BoundsAndEscapesAuditedKeys) {
  options_.callers.loopback = true;
  options_.limiter.max_attributes = 100;
  std::string attributes = R"("line\n":")" + std::string(200, 'x') + "\"";
  for (int i = 0; i < 20; ++i) attributes += Concat(",\"a", i, "\":\"b\"");
  EXPECT_EQ(Send({.target = "/v1/reset",
                  .body = Concat(R"({"domain":"api","attributes":{)", attributes, "}}")})
                .status,
            200);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_NE(lines_[0].find(R"('line\x0a'=')" + std::string(80, 'x') + "...'"), std::string::npos)
      << lines_[0];
  EXPECT_TRUE(lines_[0].ends_with(", 'a6'='b' and 13 more")) << lines_[0];
}

TEST_F(CallerTest, DoesNotAuditUnreadableBody) {
  options_.callers.loopback = true;
  EXPECT_EQ(Send({.target = "/v1/reset", .body = "{"}).status, 400);
  EXPECT_EQ(lines_, std::vector<std::string>());
}

TEST_F(CallerTest, NamesCertificateThatGivesPermission) {
  Callers callers = options_.callers;
  callers.names = {ParseTlsName("billing.example.org")};
  Peer peer{.address = "2001:db8::1", .port = 7, .uid = {}, .proxy = "10.0.0.1"};
  peer.names = {ParseTlsName("other.example.org"), ParseTlsName("billing.example.org")};
  HttpRequest request;
  request.peer = &peer;
  Caller caller(callers, request, Protocol::kHttp);
  EXPECT_TRUE(caller.MayLift());
  caller.Audit({Lift::kReset, "api", {}});
  EXPECT_EQ(lines_.back(),
            "reset by [2001:db8::1]:7 by proxy 10.0.0.1, allowed by certificate "
            "'billing.example.org'; domain 'api'");
  Caller again(callers, request, Protocol::kHttp, Caller::Pass::kSecond);
  EXPECT_TRUE(again.MayLift());
  again.Audit({Lift::kReset, "api", {}});
  EXPECT_EQ(lines_.size(), 1U) << "a request that waited is audited once";
}

// Sends requests over connections of their own to a front that holds replies.
class GuessTest : public CallerTest {
 protected:
  const CountedExchange& Send(const Peer& peer, std::string_view token, std::string_view target,
                              std::string_view body, HttpRequest::Version version) {
    const std::string authorization = Concat("Bearer ", token);
    const bool is_grpc = version == HttpRequest::Version::kHttp2;
    const std::vector<Header> headers = {
        {"authorization", authorization},
        {"content-type", is_grpc ? "application/grpc" : "application/json"}};
    CountedExchange& exchange = exchanges_.emplace_back();
    exchange.request = {.version = version,
                        .method = "POST",
                        .target = target,
                        .authority = "Shop.Test:8080",
                        .headers = headers,
                        .body = body,
                        .peer = &peer};
    Exchange* const batch = &exchange;
    front_.Serve({&batch, 1});
    return exchange;
  }
  const CountedExchange& SendReset(const Peer& peer, std::string_view token) {
    return Send(peer, token, "/v1/reset", R"({"domain":"api","attributes":{"user":"42"}})",
                HttpRequest::Version::kHttp1);
  }

  EventLoop loop_;
  Peer guesser_{.address = "192.0.2.1", .port = 1, .uid = {}};
  Peer other_{.address = "192.0.2.1", .port = 2, .uid = {}};
  std::deque<CountedExchange> exchanges_;
  HttpFront front_{gate_, RemoteAccess{}, clock_, meter_, HoldingOptions()};

 private:
  HttpFrontOptions HoldingOptions() {
    HttpFrontOptions options = options_;
    options.loop = &loop_;
    options.callers.token = kToken;
    return options;
  }
};

TEST_F(GuessTest, ComparesNoFurtherTokenOfConnectionWhileManyRepliesAreHeld) {
  for (std::size_t i = 0; i < HeldReplies::kMaxHeld; ++i) {
    const CountedExchange& held = SendReset(guesser_, "wrong");
    EXPECT_EQ(held.reply.status, 401);
    EXPECT_EQ(held.finished, 0);
  }
  for (const char* const token : {"wrong", kToken}) {
    const CountedExchange& refused = SendReset(guesser_, token);
    EXPECT_EQ(refused.reply.status, 429);
    EXPECT_EQ(refused.finished, 1);
    EXPECT_NE(refused.reply.body.find("was not looked at"), std::string::npos);
  }
  EXPECT_EQ(warnings_.CountOf(WarningCause::kWrongCredential), HeldReplies::kMaxHeld);
  EXPECT_EQ(SendReset(other_, kToken).reply.status, 200) << "another connection, same address";
  EXPECT_EQ(SendReset(other_, "wrong").reply.status, 401);
  EXPECT_EQ(SendReset(other_, kToken).reply.status, 429);
}

TEST_F(GuessTest, CountsWrongTokensOfCallsWhoseRepliesAreNotHeld) {
  constexpr std::string_view kPath = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
  std::string message = BytesOf("envoy.service.ratelimit.v3.RateLimitRequest",
                                R"(domain: "api" descriptors { entries { key: "x" }
                                     limit { requests_per_unit: 1 unit: DAY } })");
  message.insert(0, std::string("\0\0\0\0", 4) + static_cast<char>(message.size()));
  for (std::size_t i = 0; i < HeldReplies::kMaxHeld; ++i) {
    const auto version = HttpRequest::Version::kHttp2;
    EXPECT_EQ(Send(guesser_, "wrong", kPath, message, version).finished, 1);
  }
  EXPECT_EQ(SendReset(guesser_, kToken).reply.status, 429);
  EXPECT_EQ(SendReset(other_, kToken).reply.status, 200);
}

}  // namespace
}  // namespace sluice::testing
