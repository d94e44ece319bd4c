#include "load/grpc_client.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http2/http2_session.h"
#include "unit/net/scripted_service.h"
#include "wire/grpc/grpc_frame.h"

namespace sluice {
namespace {

class GrpcClientTest : public testing::Test, private GrpcClient::Listener {
 protected:
  using Heard = std::vector<std::string>;

  static Bounds Two() {
    Bounds bounds;
    bounds.streams = 2;
    return bounds;
  }

  // Exchanges output between client and server until neither has more.
  void Meet() {
    client.Pump();
    while (!client.output.empty() || !session.output.empty()) {
      session.Receive(std::exchange(client.output, {}));
      EXPECT_TRUE(client.Receive(std::exchange(session.output, {}))) << client.fault();
      client.Pump();
    }
  }

  static std::string Framed(std::string_view message) {
    std::string out;
    const std::size_t begin = BeginGrpcMessage(out);
    out.append(message);
    EndGrpcMessage(begin, out);
    return out;
  }

  void ReplyWith(std::string body, std::string status = "0", std::string words = "") {
    service.fill = [=](HttpReply& reply) {
      reply.body = body;
      if (!status.empty()) reply.trailers.Add("grpc-status", status);
      if (!words.empty()) reply.trailers.Add("grpc-message", words);
    };
  }

  ScriptedService service;
  Peer peer;
  Http2Session session{service, peer, Two()};
  GrpcClient client{"limits.test", "/a.B/C", *this};
  Heard heard;

 private:
  void OnReply(const GrpcReply& reply) override {
    std::string text = std::to_string(reply.tag) + " ";
    if (reply.outcome == GrpcReply::Fate::kNotTaken) text += "not taken";
    if (reply.outcome == GrpcReply::Fate::kBroken) text += "broken";
    if (reply.outcome == GrpcReply::Fate::kAnswered) text += NameOf(reply.status);
    if (!reply.message.empty()) text += " " + std::string(reply.message);
    if (!reply.words.empty()) text += ": " + std::string(reply.words);
    heard.push_back(text);
  }
};

TEST_F(GrpcClientTest, SendsAPostWithAFramedMessage) {
  ReplyWith(Framed("answer"));
  client.Call(7, "question");
  EXPECT_EQ(client.in_flight(), 1U);
  Meet();
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].method, "POST");
  EXPECT_EQ(service.seen[0].target, "/a.B/C");
  EXPECT_EQ(service.seen[0].authority, "limits.test");
  EXPECT_EQ(service.seen[0].body, Framed("question"));
  EXPECT_EQ(heard, Heard{"7 OK answer"});
  EXPECT_EQ(client.in_flight(), 0U);
}

TEST_F(GrpcClientTest, ReportsAnErrorStatusWithItsMessage) {
  ReplyWith("", "3", "domain: must not be empty");
  client.Call(1, "");
  Meet();
  EXPECT_EQ(heard, Heard{"1 INVALID_ARGUMENT: domain: must not be empty"});
}

TEST_F(GrpcClientTest, ReportsMalformedRepliesAsBroken) {
  ReplyWith(Framed("a") + Framed("b"));
  client.Call(1, "");
  Meet();
  ReplyWith(Framed("a"), "");
  client.Call(2, "");
  Meet();
  ReplyWith("", "77");
  client.Call(3, "");
  Meet();
  service.fill = [](HttpReply& reply) { reply.status = 404; };
  client.Call(4, "");
  Meet();
  EXPECT_EQ(heard, (Heard{"1 broken: the reply is not one message",
                          "2 broken: the reply has no grpc-status",
                          "3 broken: the reply has no grpc-status", "4 broken: HTTP status 404"}));
}

// Invariant (3).
TEST_F(GrpcClientTest, ReportsAnOverlongReplyAsBroken) {
  ReplyWith(std::string(GrpcClient::kMaxReplyBytes + 1, 'x'));
  client.Call(1, "");
  Meet();
  EXPECT_EQ(heard, Heard{"1 broken: the reply is too long"});
}

// Invariant (2).
TEST_F(GrpcClientTest, QueuesCallsBeyondTheStreamLimit) {
  ReplyWith(Framed("a"));
  Meet();  // receives the server's SETTINGS
  service.replies_later = true;
  for (std::uint64_t tag = 1; tag <= 5; ++tag) client.Call(tag, "");
  Meet();
  EXPECT_EQ(service.waiting.size(), 2U);
  EXPECT_EQ(client.in_flight(), 5U);
  while (!service.waiting.empty()) {
    service.ReplyToAll();
    Meet();
  }
  EXPECT_EQ(heard, (Heard{"1 OK a", "2 OK a", "3 OK a", "4 OK a", "5 OK a"}));
}

// Invariant (1).
TEST_F(GrpcClientTest, ReportsQueuedCallsAsNotTakenAfterGoaway) {
  ReplyWith(Framed("a"));
  Meet();
  service.replies_later = true;
  for (std::uint64_t tag = 1; tag <= 4; ++tag) client.Call(tag, "");
  Meet();
  session.Drain();
  session.Drain();
  Meet();
  EXPECT_FALSE(client.takes_calls());
  service.ReplyToAll();
  Meet();
  EXPECT_EQ(heard.size(), 4U);
  EXPECT_EQ(std::ranges::count(heard, "1 OK a"), 1);
  EXPECT_EQ(std::ranges::count(heard, "2 OK a"), 1);
  EXPECT_EQ(std::ranges::count(heard, "3 not taken"), 1);
  EXPECT_EQ(std::ranges::count(heard, "4 not taken"), 1);
  EXPECT_EQ(client.in_flight(), 0U);
}

// Invariant (1).
TEST_F(GrpcClientTest, ReportsCallsInFlightAsBrokenWhenTheConnectionEnds) {
  ReplyWith(Framed("a"));
  client.Call(1, "");
  Meet();
  service.replies_later = true;
  client.Call(2, "");
  client.Call(3, "");
  Meet();
  client.ReceiveEnd();
  EXPECT_EQ(heard, (Heard{"1 OK a", "2 broken: the connection was closed",
                          "3 broken: the connection was closed"}));
  EXPECT_EQ(client.in_flight(), 0U);
  EXPECT_FALSE(client.takes_calls());
}

TEST_F(GrpcClientTest, FailsIfTheServerDoesNotSpeakHttp2) {
  EXPECT_FALSE(client.Receive("HTTP/1.1 400 Bad Request\r\n\r\n"));
  EXPECT_NE(client.fault(), "");
}

}  // namespace
}  // namespace sluice
