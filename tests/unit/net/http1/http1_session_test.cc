#include "net/http1/http1_session.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class Http1SessionTest : public testing::Test {
 protected:
  static Bounds Small() {
    Bounds bounds;
    bounds.request_bytes = 1000;
    bounds.header_bytes = 500;
    bounds.connection_requests = 10;
    bounds.connection_bytes = 15'000;
    return bounds;
  }

  // Passes in the parts, each after the bytes left by the one before. Returns the output.
  std::string Say(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) {
      unread.append(part);
      unread.erase(0, session.Receive(unread));
    }
    return std::exchange(session.output, {});
  }

  static std::vector<std::size_t> Sizes(std::initializer_list<std::size_t> sizes) { return sizes; }

  ScriptedService service;
  Peer peer;
  Http1Session session{service, peer, Small()};
  std::string unread;
};

TEST_F(Http1SessionTest, AnswersARequest) {
  EXPECT_EQ(
      Say({"POST /v1/check?a=b HTTP/1.1\r\nHost: limits.test\r\nContent-Length: 2\r\n\r\n{}"}),
      kHello);
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].method, "POST");
  EXPECT_EQ(service.seen[0].target, "/v1/check?a=b");
  EXPECT_EQ(service.seen[0].authority, "limits.test");
  EXPECT_EQ(service.seen[0].body, "{}");
  EXPECT_FALSE(session.ended());
  EXPECT_EQ(unread, "");
}

TEST_F(Http1SessionTest, AcceptsBytesOneByOne) {
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
      "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
      "chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
      "GET /c HTTP/1.1\r\nHost: h\r\n\r\n";
  for (const char byte : request) Say({std::string_view(&byte, 1)});
  ASSERT_EQ(service.seen.size(), 3U);
  EXPECT_EQ(service.seen[0].body, "abc");
  EXPECT_EQ(service.seen[1].target, "/b");
  EXPECT_EQ(service.seen[1].body, "def");
  EXPECT_EQ(service.seen[2].target, "/c");
}

TEST_F(Http1SessionTest, ServesRequestsOfOneReceiveAsOneBatch) {
  std::string requests;
  std::string replies;
  for (int i = 0; i < 7; ++i) {
    requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    replies += kHello;
  }
  EXPECT_EQ(Say({requests}), replies);
  EXPECT_EQ(service.batches, Sizes({7}));
}

TEST_F(Http1SessionTest, BoundsBatchSize) {
  std::string requests;
  for (int i = 0; i < 25; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  Say({requests});
  EXPECT_EQ(service.batches, Sizes({10, 10, 5}));
}

TEST_F(Http1SessionTest, SendsRepliesInTheOrderOfTheRequests) {
  service.replies_later = true;
  EXPECT_EQ(Say({"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"}), "");
  ASSERT_EQ(service.waiting.size(), 2U);
  service.fill = [](HttpReply& reply) { reply.body = "second"; };
  service.Reply(*service.waiting[1]);
  EXPECT_EQ(session.output, "");
  service.fill = [](HttpReply& reply) { reply.body = "first"; };
  service.Reply(*service.waiting[0]);
  EXPECT_LT(session.output.find("first"), session.output.find("second"));
}

TEST_F(Http1SessionTest, ClosesAfterConnectionClose) {
  EXPECT_EQ(Say({"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                 "GET / HTTP/1.1\r\nHost: h\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(session.ended());
  EXPECT_EQ(service.seen.size(), 1U);
}

TEST_F(Http1SessionTest, ClosesHttp10ConnectionsWithoutKeepAlive) {
  EXPECT_EQ(Say({"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_FALSE(session.ended());
  Say({"GET / HTTP/1.0\r\n\r\n"});
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, SendsNoBodyInRepliesToHead) {
  EXPECT_EQ(Say({"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(Say({"HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\n");
}

TEST_F(Http1SessionTest, ClosesAfterAMalformedRequest) {
  const std::string said =
      Say({"GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\nHost: h\n\nGET /3 HTTP/1.1\r\n"});
  EXPECT_TRUE(said.starts_with(kHello)) << said;
  EXPECT_NE(said.find("HTTP/1.1 400 Bad Request\r\n"), std::string::npos) << said;
  EXPECT_NE(said.find("Connection: close\r\n"), std::string::npos) << said;
  EXPECT_TRUE(session.ended());
  EXPECT_EQ(service.seen.size(), 1U);
}

TEST_F(Http1SessionTest, RefusesTooLargeBodiesBeforeTheyArrive) {
  const std::string said = Say({"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n"});
  EXPECT_TRUE(said.starts_with("HTTP/1.1 413 ")) << said;
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, RefusesTooLargeChunks) {
  Say({"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"});
  const std::string said = Say({"3e9\r\n"});
  EXPECT_TRUE(said.starts_with("HTTP/1.1 413 ")) << said;
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, RefusesTooLargeHeads) {
  const std::string said = Say({"GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(600, 'x')});
  EXPECT_TRUE(said.starts_with("HTTP/1.1 431 ")) << said;
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, SendsContinue) {
  EXPECT_EQ(
      Say({"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"}),
      "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(session.phase(), Session::Phase::kBody);
  EXPECT_EQ(Say({"{"}), "");
  EXPECT_EQ(Say({"}"}), kHello);
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
}

TEST_F(Http1SessionTest, SendsContinueAfterEarlierReplies) {
  std::string wanted(kHello);
  wanted += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(
      Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"
           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"}),
      wanted);
  EXPECT_EQ(Say({"{}"}), kHello);
}

TEST_F(Http1SessionTest, CountsChunksUntilTheyAreServed) {
  Say({"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n"});
  EXPECT_GT(session.kept_bytes(), 50U) << "with its head";
  Say({"0\r\n\r\n"});
  session.ReleaseMemory();
  EXPECT_EQ(session.kept_bytes(), 0U);
}

TEST_F(Http1SessionTest, ClosesAfterAChunkedRequestWhenDraining) {
  Say({"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n"});
  session.Drain();
  EXPECT_EQ(Say({"a\r\n0\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(session.ended());
}

// Invariant (4) of Session.
TEST_F(Http1SessionTest, PausesWhileItsOutputIsFull) {
  service.fill = [](HttpReply& reply) { reply.body = std::string(1000, 'x'); };
  std::string requests;
  for (int i = 0; i < 35; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  std::string said = Say({requests});
  EXPECT_TRUE(session.paused());
  EXPECT_EQ(service.batches, Sizes({10, 10}));
  EXPECT_LT(said.size(), Small().connection_bytes + 10 * 1100);
  session.Drain();
  EXPECT_FALSE(session.ended()) << "what has come is answered";
  while (session.paused()) said += Say({""});
  EXPECT_EQ(service.seen.size(), 35U);
  EXPECT_EQ(unread, "");
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, PausesWithLessOutputWhileMemoryIsScarce) {
  service.fill = [](HttpReply& reply) { reply.body = std::string(9000, 'x'); };
  for (const bool is_scarce : {false, true}) {
    service.seen.clear();
    Http1Session roomy{service, peer, Bounds{}};
    roomy.SetMemoryScarce(is_scarce);
    std::string requests;
    for (int i = 0; i < 200; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    std::size_t said = 0;
    do {
      requests.erase(0, roomy.Receive(requests));
      EXPECT_LT(roomy.output.size(), is_scarce ? 14'000U : 272'000U);
      said += std::exchange(roomy.output, {}).size();
    } while (roomy.paused());
    EXPECT_EQ(service.seen.size(), 200U);
    EXPECT_GT(said, 200 * 9000U);
  }
}

TEST_F(Http1SessionTest, PausesWhenLateRepliesFillItsOutput) {
  service.replies_later = true;
  service.fill = [](HttpReply& reply) { reply.body = std::string(9000, 'x'); };
  const std::string half = "GET / HTT";
  for (int i = 0; i < 9; ++i) Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"});
  Say({half});
  session.ReceiveEnd();
  service.ReplyToAll();
  std::size_t said = 0;
  for (std::size_t calls = 0; !session.ended() && ++calls < 20;) {
    EXPECT_LT(session.output.size(), Small().connection_bytes + 9100);
    said += Say({""}).size();
  }
  EXPECT_TRUE(session.ended()) << "the rest of what is half there never comes";
  EXPECT_GT(said, 9 * 9000U);
}

TEST_F(Http1SessionTest, SendsFixedBodiesAndKeepsNoCopies) {
  static const std::string document(9000, 'x');
  service.fill = [](HttpReply& reply) { reply.fixed_body = document; };
  const std::string said = Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"});
  EXPECT_TRUE(said.ends_with("Content-Length: 9000\r\n\r\n" + document)) << said.substr(0, 100);
  EXPECT_EQ(Say({"HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n");
  std::string requests;
  for (int i = 0; i < 10; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  session.Receive(requests);
  EXPECT_TRUE(session.paused());
  EXPECT_LT(session.kept_bytes(), 9000U);
  session.output.clear();
  service.fill = [](HttpReply& reply) { reply.body = "hello"; };
  while (session.paused()) Say({""});
  EXPECT_EQ(Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"}), kHello);
}

TEST_F(Http1SessionTest, PausesAtTheMaximumOfRequestsInFlight) {
  service.replies_later = true;
  std::string requests;
  for (int i = 0; i < 15; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  Say({requests});
  EXPECT_TRUE(session.paused());
  EXPECT_EQ(service.waiting.size(), 10U);
  service.ReplyToAll();
  Say({""});
  EXPECT_FALSE(session.paused());
  EXPECT_EQ(service.waiting.size(), 5U);
  EXPECT_EQ(unread, "");
}

TEST_F(Http1SessionTest, SendsUnknownStatusWithoutReason) {
  service.fill = [](HttpReply& reply) { reply.status = 420; };
  EXPECT_EQ(Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"}),
            "HTTP/1.1 420 \r\nContent-Length: 0\r\n\r\n");
}

// A client whose request is on its way must learn from the reply that it is the last.
TEST_F(Http1SessionTest, EndsWithTheNextReplyWhenDrainedWhileIdle) {
  Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"});
  session.Drain();
  EXPECT_FALSE(session.ended());
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  EXPECT_EQ(Say({get + get}), std::string(kHello) +
                                  "HTTP/1.1 200 OK\r\nConnection: close\r\n"
                                  "Content-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, EndsOnASecondDrainWhileIdle) {
  session.Drain();
  session.Drain();
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, AnswersAPartialRequestAfterTwoDrains) {
  Say({"GET / HTTP/1.1\r\n"});
  session.Drain();
  session.Drain();
  EXPECT_FALSE(session.ended());
  EXPECT_TRUE(Say({"Host: h\r\n\r\n"}).ends_with("hello"));
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, AnswersAPartialRequestAfterADrain) {
  Say({"GET / HTTP/1.1\r\n"});
  session.Drain();
  EXPECT_FALSE(session.ended());
  EXPECT_EQ(Say({"Host: h\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, SendsLateReplyAfterTheEndOfInput) {
  service.replies_later = true;
  Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"});
  session.ReceiveEnd();
  EXPECT_FALSE(session.ended());
  service.ReplyToAll();
  EXPECT_TRUE(session.output.ends_with("hello"));
  EXPECT_TRUE(session.ended());
}

TEST_F(Http1SessionTest, SendsContinueOnceForChunkedRequests) {
  EXPECT_EQ(Say({"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                 "Expect: 100-continue\r\n\r\n"}),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(Say({"1\r\na\r\n"}), "");
  EXPECT_EQ(Say({"0\r\n\r\n"}), kHello);
}

TEST(Http1Unread, AnswersWithoutTheBodyIfTheServiceIgnoresIt) {
  for (const std::string_view framing : {"Content-Length: 5", "Transfer-Encoding: chunked",
                                         "Content-Length: 5\r\nExpect: 100-continue",
                                         "Transfer-Encoding: chunked\r\nExpect: 100-continue"}) {
    ScriptedService service;
    const Peer peer;
    Http1Session session{service, peer, Bounds{}};
    const std::string requests = Concat("GET / HTTP/1.1\r\nHost: h\r\n\r\nPUT /unread HTTP/1.1\r\n",
                                        framing, "\r\nHost: h\r\n\r\n1");
    EXPECT_EQ(session.Receive(requests), requests.size());
    EXPECT_EQ(
        session.output,
        Concat(kHello, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"))
        << framing;
    EXPECT_TRUE(session.ended());
    ASSERT_EQ(service.seen.size(), 2U);
    EXPECT_EQ(service.seen[1].target, "/unread");
    EXPECT_EQ(service.seen[1].body, "");
  }
}

TEST_F(Http1SessionTest, StaysOpenIfAnIgnoredBodyHasArrived) {
  EXPECT_EQ(Say({"PUT /unread HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"}), kHello);
  EXPECT_FALSE(session.ended());
}

TEST_F(Http1SessionTest, EndsWithTheNextReplyWhenRetired) {
  session.Retire();
  session.Retire();
  EXPECT_FALSE(session.ended()) << "a request may be on its way";
  EXPECT_EQ(Say({"GET / HTTP/1.1\r\nHost: h\r\n\r\n"}),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_TRUE(session.ended());
}

}  // namespace
}  // namespace sluice
