#include "load/http_load.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "listener.h"

namespace sluice {
namespace {

class HttpLoadTest : public testing::Test {
 protected:
  void Send(int from, int to) {
    for (int i = from; i <= to; ++i) session->Send(static_cast<std::uint64_t>(i), At(i));
  }

  static std::string Reply(std::string_view status, std::string_view field = "X: y") {
    return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(field) +
           "\r\nContent-Length: 2\r\n\r\nok";
  }

  WritingListener listener;
  std::shared_ptr<const RequestTemplate> request = std::make_shared<RequestTemplate>(
      100, [](std::string_view key) { return "GET /" + std::string(key) + " HTTP/1.1\r\n\r\n"; });
  std::unique_ptr<LoadSession> session = MakeHttpLoad(listener, request);
};

TEST_F(HttpLoadTest, SendsRequestsInOrder) {
  Send(1, 2);
  session->Pump();
  EXPECT_EQ(session->output, "GET /01 HTTP/1.1\r\n\r\nGET /02 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(session->in_flight(), 2U);
}

TEST_F(HttpLoadTest, MapsStatusesToAnswersAndErrors) {
  Send(1, 5);
  EXPECT_TRUE(session->Receive(Reply("200 OK") + Reply("429 Too Many Requests") +
                               "HTTP/1.1 204 No Content\r\n\r\n" +
                               Reply("503 Service Unavailable") + Reply("301 Moved")));
  EXPECT_EQ(listener.heard, (Heard{"1 allowed", "2 refused", "3 allowed", "4 error: status 503",
                                   "5 error: status 301"}));
  EXPECT_EQ(session->in_flight(), 0U);
}

TEST_F(HttpLoadTest, ResultDoesNotDependOnHowBytesAreSplit) {
  const std::string bytes = Reply("200 OK") + Reply("429 No") + Reply("500 Oops");
  for (std::size_t part = 1; part <= bytes.size(); ++part) {
    WritingListener own;
    const std::unique_ptr<LoadSession> cut = MakeHttpLoad(own, request);
    for (int i = 1; i <= 3; ++i) cut->Send(1, At(i));
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      EXPECT_TRUE(cut->Receive(std::string(bytes.substr(at, part))));
    }
    EXPECT_EQ(own.heard, (Heard{"1 allowed", "2 refused", "3 error: status 500"})) << part;
  }
}

TEST_F(HttpLoadTest, ReportsUnansweredRequestsAsNotTakenAfterConnectionClose) {
  Send(1, 4);
  EXPECT_TRUE(session->Receive(Reply("200 OK") + Reply("200 OK", "Connection: close")));
  EXPECT_EQ(listener.heard, (Heard{"1 allowed", "2 allowed", "3 not taken", "4 not taken"}));
  EXPECT_FALSE(session->takes_requests());
  session->ReceiveEnd("closed");
  EXPECT_EQ(listener.heard.size(), 4U);
}

// Invariant (1).
TEST_F(HttpLoadTest, ReportsRequestsInFlightAsErrorsWhenTheConnectionEnds) {
  Send(1, 3);
  EXPECT_TRUE(session->Receive(Reply("200 OK") + "HTTP/1.1 200 OK\r\nContent-"));
  session->ReceiveEnd("closed");
  EXPECT_EQ(listener.heard, (Heard{"1 allowed", "2 error: closed", "3 error: closed"}));
  EXPECT_FALSE(session->takes_requests());
}

TEST_F(HttpLoadTest, AcceptsAReplyThatEndsWithTheConnection) {
  Send(1, 2);
  EXPECT_TRUE(session->Receive("HTTP/1.0 200 OK\r\n\r\nhello"));
  EXPECT_EQ(listener.heard, Heard{});
  session->ReceiveEnd("closed");
  EXPECT_EQ(listener.heard, (Heard{"1 allowed", "2 not taken"}));
}

TEST_F(HttpLoadTest, KeepsTheOrderOfManyRequests) {
  for (int i = 1; i <= 5000; ++i) {
    session->Send(0, At(i));
    if (i == 1) continue;
    EXPECT_TRUE(session->Receive(Reply("200 OK")));
    ASSERT_EQ(listener.heard.back(), std::to_string(i - 1) + " allowed");
  }
  EXPECT_EQ(session->in_flight(), 1U);
}

TEST_F(HttpLoadTest, FailsIfTheServerSpeaksAnotherProtocol) {
  Send(1, 1);
  EXPECT_FALSE(session->Receive("-ERR unknown command\r\n"));
  EXPECT_EQ(session->fault(), "does not speak the protocol: a reply is not HTTP/1");
}

TEST_F(HttpLoadTest, FailsOnAReplyWithoutARequest) {
  EXPECT_FALSE(session->Receive(Reply("200 OK")));
  EXPECT_EQ(session->fault(), "does not speak the protocol: it answered what was not asked");
}

}  // namespace
}  // namespace sluice
