#include "load/rls_load.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "listener.h"
#include "net/http2/http2_session.h"
#include "unit/net/scripted_service.h"
#include "wire/grpc/grpc_frame.h"
#include "wire/grpc/rls_caller.h"

namespace sluice {
namespace {

class RlsLoadTest : public testing::Test {
 protected:
  void Meet() {
    session->Pump();
    while (!session->output.empty() || !server.output.empty()) {
      server.Receive(std::exchange(session->output, {}));
      EXPECT_TRUE(session->Receive(std::exchange(server.output, {}))) << session->fault();
      session->Pump();
    }
  }

  void ReplyWith(std::string answer) {
    service.fill = [answer = std::move(answer)](HttpReply& reply) {
      const std::size_t begin = BeginGrpcMessage(reply.body);
      reply.body += answer;
      EndGrpcMessage(begin, reply.body);
      reply.trailers.Add("grpc-status", "0");
    };
  }

  ScriptedService service;
  Peer peer;
  Http2Session server{service, peer, Bounds()};
  WritingListener listener;
  std::shared_ptr<const RequestTemplate> message = std::make_shared<RequestTemplate>(
      100, [](std::string_view key) { return "message " + std::string(key); });
  std::unique_ptr<LoadSession> session = MakeRlsLoad(listener, message, "limits.test");
};

TEST_F(RlsLoadTest, SendsTheMessageOfTheKey) {
  ReplyWith("\x08\x01");
  session->Send(7, At(1));
  session->Send(42, At(2));
  EXPECT_EQ(session->in_flight(), 2U);
  Meet();
  ASSERT_EQ(service.seen.size(), 2U);
  EXPECT_EQ(service.seen[0].target, kRlsPath);
  EXPECT_EQ(service.seen[0].body.substr(kGrpcPrefixSize), "message 07");
  EXPECT_EQ(service.seen[1].body.substr(kGrpcPrefixSize), "message 42");
  EXPECT_EQ(listener.heard, (Heard{"1 allowed", "2 allowed"}));
  EXPECT_EQ(session->in_flight(), 0U);
}

TEST_F(RlsLoadTest, SendsMetadataWithEveryCall) {
  HeaderList metadata;
  metadata.Add("x-team", "a");
  metadata.Add("authorization", "Bearer s3cret");
  session = MakeRlsLoad(listener, message, "limits.test", metadata);
  ReplyWith("\x08\x01");
  session->Send(7, At(1));
  session->Send(8, At(2));
  Meet();
  session->Send(9, At(3));
  Meet();
  ASSERT_EQ(service.seen.size(), 3U);
  for (const ScriptedService::Seen& seen : service.seen) {
    EXPECT_EQ(seen.headers.at("x-team"), "a");
    EXPECT_EQ(seen.headers.at("authorization"), "Bearer s3cret");
    EXPECT_EQ(seen.headers.at("content-type"), "application/grpc");
    EXPECT_EQ(seen.headers.at("te"), "trailers");
  }
}

TEST_F(RlsLoadTest, CountsOverLimitAsRefused) {
  ReplyWith("\x08\x02");
  session->Send(0, At(1));
  Meet();
  EXPECT_EQ(listener.heard, Heard{"1 refused"});
}

TEST_F(RlsLoadTest, ReportsAFailedCallAsAnErrorWithItsMessage) {
  service.fill = [](HttpReply& reply) {
    reply.headers.Add("grpc-status", "12");
    reply.headers.Add("grpc-message", "no such method");
  };
  session->Send(0, At(1));
  Meet();
  service.fill = [](HttpReply& reply) { reply.status = 502; };
  session->Send(0, At(2));
  Meet();
  EXPECT_EQ(listener.heard,
            (Heard{"1 error: UNIMPLEMENTED: no such method", "2 error: HTTP status 502"}));
}

TEST_F(RlsLoadTest, FailsOnAMalformedReply) {
  ReplyWith("");
  session->Send(0, At(1));
  session->Pump();
  server.Receive(std::exchange(session->output, {}));
  EXPECT_FALSE(session->Receive(std::exchange(server.output, {})));
  EXPECT_EQ(session->fault(),
            "does not speak the protocol: a reply has a code that is neither OK nor OVER_LIMIT");
}

TEST_F(RlsLoadTest, ReportsRequestsInFlightAsErrorsWhenTheConnectionEnds) {
  service.replies_later = true;
  session->Send(0, At(1));
  session->Send(0, At(2));
  Meet();
  session->ReceiveEnd("timed out");
  EXPECT_EQ(listener.heard, (Heard{"1 error: timed out", "2 error: timed out"}));
  EXPECT_FALSE(session->takes_requests());
}

TEST_F(RlsLoadTest, TakesNoRequestsAfterGoaway) {
  Meet();
  server.Drain();
  server.Drain();
  Meet();
  EXPECT_FALSE(session->takes_requests());
}

}  // namespace
}  // namespace sluice
