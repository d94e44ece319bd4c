#include "net/http2/http2_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/net/http2/http2_client.h"
#include "unit/net/http2/http2_frame.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

class Http2SessionTest : public testing::Test {
 protected:
  Http2SessionTest() { session.Tick(Nanos{0}, Deadlines{}); }

  static Bounds Small() {
    Bounds bounds;
    bounds.request_bytes = 1000;
    bounds.header_bytes = 500;
    bounds.connection_bytes = 5000;
    return bounds;
  }

  // Passes the client's output to the session at once, and the session's output to the client.
  void Meet() {
    const std::string said = client.TakeOutput();
    EXPECT_EQ(session.Receive(said), said.size());
    Hear();
  }
  void Hear() { EXPECT_TRUE(client.Receive(std::exchange(session.output, {}))); }

  // Passes in handmade bytes and returns the session's output.
  std::string Say(std::string_view bytes) {
    unread += bytes;
    unread.erase(0, session.Receive(unread));
    return std::exchange(session.output, {});
  }
  // SETTINGS_INITIAL_WINDOW_SIZE (4) of 0, so that replies have to wait.
  static std::string NoWindow() {
    return Frame(FrameType::kSettings, FrameEnd::kNothing, 0, std::string_view("\0\4\0\0\0\0", 6));
  }
  static std::string Greeting() { return std::string(kPreface) + SettingsFrame(); }

  static std::string BodyOn(std::uint32_t stream, std::string_view said) {
    std::string body;
    for (const SeenFrame& frame : ReadFrames(said)) {
      if (frame.type == FrameType::kData && frame.stream == stream) body += frame.payload;
    }
    return body;
  }

  // Calls Tick and returns the session's output.
  std::string TickAt(int seconds) {
    session.Tick(std::chrono::seconds(seconds), Deadlines{});
    return std::exchange(session.output, {});
  }

  struct Goaway {
    std::uint32_t last = 0;
    std::uint32_t error = 0;
  };
  // Returns the last GOAWAY.
  static Goaway GoawayOf(std::string_view said) {
    Goaway goaway;
    for (const SeenFrame& frame : ReadFrames(said)) {
      if (frame.type != FrameType::kGoaway) continue;
      goaway = {NumberAt(frame.payload, 0), NumberAt(frame.payload, 4)};
    }
    return goaway;
  }

  ScriptedService service;
  Peer peer;
  Http2Session session{service, peer, Small()};
  std::string unread;  // bytes passed to Say that the session has not consumed
  Http2Client client;
};

TEST_F(Http2SessionTest, SendsStatusHeadersAndBody) {
  service.fill = [](HttpReply& reply) {
    reply.status = 429;
    reply.headers.Add("Retry-After", "30");
    reply.body = "slow down";
  };
  const std::int32_t stream = client.Post("/v1/check?x=1", "{}");
  Meet();
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].method, "POST");
  EXPECT_EQ(service.seen[0].target, "/v1/check?x=1");
  EXPECT_EQ(service.seen[0].authority, "limits.test");
  EXPECT_EQ(service.seen[0].body, "{}");
  const Http2Client::Reply& reply = client.replies[stream];
  EXPECT_TRUE(reply.is_whole);
  EXPECT_EQ(reply.headers.at(":status"), "429");
  EXPECT_EQ(reply.headers.at("retry-after"), "30");
  EXPECT_EQ(reply.body, "slow down");
}

TEST_F(Http2SessionTest, SendsTrailersAfterTheBody) {
  service.fill = [](HttpReply& reply) {
    reply.body = "message";
    reply.trailers.Add("grpc-status", "0");
  };
  const std::int32_t stream = client.Get("/");
  Meet();
  EXPECT_EQ(client.replies[stream].body, "message");
  EXPECT_EQ(client.replies[stream].trailers.at("grpc-status"), "0");
  EXPECT_TRUE(client.replies[stream].is_whole);
}

TEST_F(Http2SessionTest, SendsRepliesWithoutBodyAsHeadersOnly) {
  service.fill = [](HttpReply& reply) { reply.headers.Add("grpc-status", "12"); };
  const std::int32_t stream = client.Get("/");
  Meet();
  EXPECT_EQ(client.replies[stream].headers.at("grpc-status"), "12");
  EXPECT_TRUE(client.replies[stream].is_whole);
}

TEST_F(Http2SessionTest, ServesRequestsOfOneReceiveInLargeBatches) {
  for (int i = 0; i < 50; ++i) client.Get("/");
  Meet();
  EXPECT_EQ(service.batches, (std::vector<std::size_t>{32, 18}));
  for (const auto& [stream, reply] : client.replies) EXPECT_EQ(reply.body, "hello");
}

TEST_F(Http2SessionTest, SendsBodiesLongerThanAFrame) {
  const std::string long_body(100'000, 'x');
  service.fill = [&](HttpReply& reply) { reply.body = long_body; };
  const std::int32_t stream = client.Get("/");
  for (int i = 0; i < 10; ++i) Meet();
  EXPECT_EQ(client.replies[stream].body, long_body);
}

// Invariant (4) of Session.
TEST_F(Http2SessionTest, PausesWhileItsOutputIsFull) {
  client.GrantWindow(1 << 20);
  service.fill = [](HttpReply& reply) { reply.body = std::string(30'000, 'x'); };
  for (int i = 0; i < 20; ++i) client.Get("/");
  session.Receive(client.TakeOutput());
  EXPECT_EQ(service.seen.size(), 20U);
  EXPECT_TRUE(session.paused());
  EXPECT_LT(session.output.size(), Small().connection_bytes + 20'000) << "one frame more at most";
  while (session.paused()) {
    Hear();
    session.Receive({});
  }
  Hear();
  EXPECT_EQ(client.replies.size(), 20U);
  for (const auto& [stream, reply] : client.replies) EXPECT_EQ(reply.body.size(), 30'000U);
}

TEST_F(Http2SessionTest, PausesWithLessOutputWhileMemoryIsScarce) {
  service.fill = [](HttpReply& reply) { reply.body = std::string(9000, 'x'); };
  for (const bool is_scarce : {false, true}) {
    Http2Client reader;
    reader.GrantWindow(1 << 20);
    Http2Session roomy{service, peer, Bounds{}};
    roomy.SetMemoryScarce(is_scarce);
    for (int i = 0; i < 90; ++i) reader.Get("/");
    std::string requests = reader.TakeOutput();
    for (int calls = 0; calls == 0 || roomy.paused(); ++calls) {
      requests.erase(0, roomy.Receive(requests));
      EXPECT_LT(roomy.output.size(), is_scarce ? 24'000U : 280'000U);
      EXPECT_TRUE(reader.Receive(std::exchange(roomy.output, {})));
    }
    EXPECT_EQ(reader.replies.size(), 90U);
    for (const auto& [stream, reply] : reader.replies) {
      EXPECT_TRUE(is_scarce || reply.body.size() == 9000U) << stream << ' ' << reply.error;
    }
  }
}

// A client can make replies wait for windows, and so hold memory on purpose.
TEST_F(Http2SessionTest, RefusesStreamsWhileMemoryIsScarceAndRepliesWaitForWindows) {
  service.fill = [](HttpReply& reply) { reply.body = std::string(9000, 'x'); };
  Http2Session roomy{service, peer, Bounds{}};
  roomy.SetMemoryScarce(true);
  std::string said = std::string(kPreface) + NoWindow() + RequestFrame(1, FrameEnd::kStream);
  EXPECT_EQ(roomy.Receive(said), said.size());
  roomy.Receive(RequestFrame(3, FrameEnd::kStream));
  EXPECT_EQ(service.seen.size(), 1U);
  EXPECT_FALSE(roomy.ended());
  roomy.SetMemoryScarce(false);
  roomy.Receive(RequestFrame(5, FrameEnd::kStream));
  EXPECT_EQ(service.seen.size(), 2U);
}

TEST_F(Http2SessionTest, SendsFixedBodiesAndKeepsNoCopies) {
  static const std::string document(40'000, 'x');
  service.fill = [](HttpReply& reply) { reply.fixed_body = document; };
  const std::int32_t stream = client.Get("/");
  for (int i = 0; i < 30; ++i) Meet();
  EXPECT_EQ(client.replies[stream].body, document);
  Say(NoWindow());
  Http2Session closed{service, peer, Bounds{}};
  closed.Receive(std::string(kPreface) + NoWindow() + RequestFrame(1, FrameEnd::kStream));
  EXPECT_EQ(closed.phase(), Session::Phase::kAnswering) << "it waits for a window";
  EXPECT_LT(closed.kept_bytes(), 9000U);
}

TEST_F(Http2SessionTest, DropsRequestsResetBeforeServing) {
  const std::int32_t stream = client.PostUnfinished("/", "a");
  std::string said = client.TakeOutput();
  client.Reset(stream);
  said += client.TakeOutput();
  session.Receive(said);
  EXPECT_TRUE(service.seen.empty());
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
}

TEST_F(Http2SessionTest, DropsRepliesToResetStreams) {
  service.replies_later = true;
  const std::int32_t stream = client.Get("/");
  Meet();
  client.Reset(stream);
  Meet();
  EXPECT_EQ(session.unfinished(), 1U);
  service.ReplyToAll();
  EXPECT_EQ(session.unfinished(), 0U);
  EXPECT_TRUE(session.output.empty());
}

TEST_F(Http2SessionTest, NotifiesOfLateReplies) {
  int told = 0;
  session.on_late_reply = [&] { ++told; };
  service.replies_later = true;
  const std::int32_t stream = client.Get("/");
  Meet();
  EXPECT_EQ(session.phase(), Session::Phase::kAnswering);
  service.ReplyToAll();
  EXPECT_EQ(told, 1);
  Hear();
  EXPECT_EQ(client.replies[stream].body, "hello");
}

TEST_F(Http2SessionTest, ServesTooLargeBodiesAtOnceAsAFault) {
  service.fill = [](HttpReply& reply) {
    reply.status = 413;
    reply.body = "too large";
  };
  const std::int32_t stream = client.PostUnfinished("/", std::string(1001, 'x'));
  Meet();
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].fault, HttpRequest::Fault::kBodyTooLarge);
  EXPECT_EQ(client.replies[stream].headers.at(":status"), "413");
  EXPECT_EQ(client.replies[stream].body, "too large");
  EXPECT_TRUE(client.replies[stream].is_reset);
  EXPECT_EQ(client.replies[stream].error, 0U);
  EXPECT_FALSE(session.ended());
}

TEST_F(Http2SessionTest, RefusesTooLargeBodiesByHeadersOrTrailers) {
  service.fill = [](HttpReply& reply) { reply.headers.Add("grpc-status", "8"); };
  const std::int32_t alone = client.PostUnfinished("/", std::string(1001, 'x'));
  Meet();
  EXPECT_EQ(client.replies[alone].headers["grpc-status"], "8");
  EXPECT_TRUE(client.replies[alone].is_reset);
  service.fill = [](HttpReply& reply) {
    reply.body = "a";
    reply.trailers.Add("grpc-status", "8");
  };
  const std::int32_t behind = client.PostUnfinished("/", std::string(1001, 'x'));
  Meet();
  EXPECT_EQ(client.replies[behind].trailers["grpc-status"], "8");
  EXPECT_TRUE(client.replies[behind].is_reset);
}

TEST_F(Http2SessionTest, AnswersWithoutTheBodyIfTheServiceIgnoresIt) {
  const std::int32_t stream = client.PostUnfinished("/unread", "half of it");
  Meet();
  EXPECT_TRUE(client.replies[stream].is_whole);
  EXPECT_EQ(client.replies[stream].body, "hello");
  EXPECT_TRUE(client.replies[stream].is_reset) << "the rest must not be sent";
  EXPECT_EQ(client.replies[stream].error, 0U);
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].body, "");
}

// Invariant (2).
TEST_F(Http2SessionTest, BoundsAllBodiesTogether) {
  for (int i = 0; i < 20; ++i) {
    client.PostUnfinished("/", std::string(900, 'x'));
    Meet();
  }
  // Five bodies fill the bound of the connection; the others are refused as too large.
  EXPECT_EQ(service.seen.size(), 15U);
  for (const auto& seen : service.seen) EXPECT_EQ(seen.fault, HttpRequest::Fault::kBodyTooLarge);
}

TEST_F(Http2SessionTest, CountsHeadsOfUnfinishedRequests) {
  const std::string head =
      std::string("\x83\x86\x84\x41\x01h", 6) + std::string("\0\1x\x7E", 4) + std::string(126, 'x');
  Say(Greeting());
  for (int i = 0; i < 10; ++i) {
    Say(Frame(FrameType::kHeaders, FrameEnd::kHeaders, 2 * i + 1, head));
  }
  EXPECT_GT(session.kept_bytes(), 10U * 126);
  for (int i = 0; i < 10; ++i) Say(ResetFrame(2 * i + 1));
  session.ReleaseMemory();
  EXPECT_EQ(session.kept_bytes(), 0U);
}

TEST_F(Http2SessionTest, StopsCountingServedBodies) {
  for (int i = 0; i < 20; ++i) {
    client.Post("/", std::string(900, 'x'));
    Meet();
  }
  for (const auto& seen : service.seen) EXPECT_EQ(seen.fault, HttpRequest::Fault::kNone);
}

TEST_F(Http2SessionTest, ServesTooLargeHeadsAsAFault) {
  client.Get("/" + std::string(600, 'x'));
  Meet();
  ASSERT_EQ(service.seen.size(), 1U);
  EXPECT_EQ(service.seen[0].fault, HttpRequest::Fault::kHeadTooLarge);
}

TEST_F(Http2SessionTest, AnswersRequestsInFlightWhenDrained) {
  service.replies_later = true;
  const std::int32_t stream = client.Get("/");
  Meet();
  session.Drain();
  session.Drain();
  Hear();
  EXPECT_TRUE(client.has_goaway);
  EXPECT_EQ(client.goaway_last, stream);
  EXPECT_EQ(client.goaway_error, 0U);
  EXPECT_FALSE(session.ended());
  service.ReplyToAll();
  Hear();
  EXPECT_EQ(client.replies[stream].body, "hello");
  EXPECT_TRUE(session.ended());
}

TEST_F(Http2SessionTest, AnnouncesTheEndOnTheFirstDrain) {
  Meet();
  session.Drain();
  Hear();
  EXPECT_TRUE(client.has_goaway);
  EXPECT_FALSE(session.ended());
}

TEST_F(Http2SessionTest, ServesStreamingRequestsPieceByPiece) {
  const std::int32_t stream = client.PostUnfinished("/stream", "one");
  Meet();
  EXPECT_EQ(client.replies[stream].headers.at(":status"), "200");
  EXPECT_EQ(client.replies[stream].body, "one");
  client.SendMore(stream, "two");
  Meet();
  EXPECT_EQ(client.replies[stream].body, "onetwo");
  EXPECT_FALSE(client.replies[stream].is_whole);
  client.EndBody(stream);
  Meet();
  EXPECT_EQ(client.replies[stream].trailers.at("grpc-status"), "0");
  EXPECT_TRUE(client.replies[stream].is_whole);
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
}

TEST_F(Http2SessionTest, StopsCountingConsumedStreamBytes) {
  const std::string max(Small().request_bytes, 'x');
  const std::int32_t stream = client.PostUnfinished("/stream", max);
  Meet();
  client.SendMore(stream, max);
  Meet();
  EXPECT_EQ(client.replies[stream].body, max + max);
  EXPECT_FALSE(client.replies[stream].is_whole);
}

TEST_F(Http2SessionTest, NotifiesServiceOfResetStreams) {
  const std::int32_t stream = client.PostUnfinished("/stream", "one");
  Meet();
  client.Reset(stream);
  Meet();
  EXPECT_EQ(service.events.back(), StreamEvent::kGone);
}

TEST_F(Http2SessionTest, NotifiesServiceOfStreamsOfClosedConnections) {
  {
    Http2Session other{service, peer, Small()};
    client.PostUnfinished("/stream", "one");
    other.Receive(client.TakeOutput());
  }
  EXPECT_EQ(service.events.back(), StreamEvent::kGone);
}

TEST_F(Http2SessionTest, EndsStreamingRequestsWhenDrained) {
  const std::int32_t stream = client.PostUnfinished("/stream", "one");
  Meet();
  session.Drain();
  session.Drain();
  Hear();
  EXPECT_TRUE(client.replies[stream].is_whole);
  EXPECT_EQ(client.replies[stream].trailers.at("grpc-status"), "0");
}

TEST_F(Http2SessionTest, EndsConnectionOnAFloodOfResets) {
  for (int i = 0; i < 3000 && !session.ended(); ++i) {
    const std::int32_t stream = client.PostUnfinished("/", "a");
    std::string said = client.TakeOutput();
    client.Reset(stream);
    said += client.TakeOutput();
    session.Receive(said);
    session.output.clear();
  }
  EXPECT_TRUE(session.ended());
  EXPECT_TRUE(service.seen.empty());
}

TEST_F(Http2SessionTest, EndsConnectionOnAFloodOfUnreadPings) {
  std::string pings = client.TakeOutput();
  for (int i = 0; i < 20'000; ++i) client.Ping();
  pings += client.TakeOutput();
  Http2Session roomy{service, peer, Bounds{}};
  roomy.Receive(pings);
  EXPECT_TRUE(roomy.ended());
  session.Receive(pings);
  EXPECT_TRUE(session.paused()) << "its output is full before that";
  EXPECT_LT(session.output.size(), Small().connection_bytes + 100);
}

// Invariant (5).
TEST_F(Http2SessionTest, EndsConnectionOnDataAfterTheEndOfAStream) {
  EXPECT_EQ(BodyOn(1, Say(Greeting() + RequestFrame(1, FrameEnd::kStream))), "hello");
  const Goaway goaway = GoawayOf(Say(DataFrame(1, "more", FrameEnd::kStream)));
  EXPECT_EQ(goaway.error, kStreamClosed);
  EXPECT_EQ(goaway.last, 1U);
  EXPECT_TRUE(session.ended());
  EXPECT_EQ(service.seen.size(), 1U);
}

TEST_F(Http2SessionTest, EndsConnectionOnDecreasingStreamIds) {
  const Goaway goaway =
      GoawayOf(Say(Greeting() + RequestFrame(5, FrameEnd::kStream) +
                   RequestFrame(3, FrameEnd::kStream) + RequestFrame(7, FrameEnd::kStream)));
  EXPECT_EQ(goaway.error, kProtocolError);
  EXPECT_EQ(goaway.last, 5U);
  EXPECT_TRUE(session.ended());
  EXPECT_EQ(service.seen.size(), 1U) << "what came before is served, what comes after is not";
}

TEST_F(Http2SessionTest, AcceptsFramesThatCrossAReset) {
  const std::string said = Say(Greeting() + RequestFrame(1, FrameEnd::kNothing) +
                               DataFrame(1, std::string(1001, 'x'), FrameEnd::kNothing));
  EXPECT_EQ(ReadFrames(said).back().type, FrameType::kReset);
  Say(DataFrame(1, "more", FrameEnd::kNothing));
  Say(RequestFrame(1, FrameEnd::kStream));
  EXPECT_EQ(BodyOn(3, Say(RequestFrame(3, FrameEnd::kStream))), "hello");
  EXPECT_FALSE(session.ended());
}

TEST_F(Http2SessionTest, DropsRepliesAfterAConnectionError) {
  service.replies_later = true;
  Say(Greeting() + RequestFrame(1, FrameEnd::kStream) + RequestFrame(1, FrameEnd::kStream));
  EXPECT_TRUE(session.ended());
  EXPECT_EQ(session.unfinished(), 1U);
  service.ReplyToAll();
  EXPECT_EQ(session.unfinished(), 0U);
}

// Invariant (6).
TEST_F(Http2SessionTest, ResetsLateRequestWhileOthersAreServed) {
  Say(Greeting() + RequestFrame(1, FrameEnd::kNothing));
  std::string said;
  int seconds = 0;
  for (std::uint32_t stream = 3; seconds < 60 && said.empty(); stream += 2) {
    const std::int32_t id = static_cast<std::int32_t>(stream);
    EXPECT_EQ(BodyOn(stream, Say(RequestFrame(id, FrameEnd::kStream))), "hello");
    Say(DataFrame(1, "x", FrameEnd::kNothing));
    said = TickAt(++seconds);
  }
  EXPECT_EQ(seconds, 12) << "ten, and two looks";
  ASSERT_EQ(ReadFrames(said).size(), 1U);
  EXPECT_EQ(ReadFrames(said)[0].type, FrameType::kReset);
  EXPECT_EQ(ReadFrames(said)[0].stream, 1U);
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
  EXPECT_FALSE(session.ended());
}

TEST_F(Http2SessionTest, TimesEachRequestSeparately) {
  Say(Greeting() + RequestFrame(1, FrameEnd::kNothing));
  for (int seconds = 1; seconds <= 8; ++seconds) EXPECT_EQ(TickAt(seconds), "");
  Say(RequestFrame(3, FrameEnd::kNothing));
  for (int seconds = 9; seconds <= 11; ++seconds) EXPECT_EQ(TickAt(seconds), "");
  EXPECT_EQ(ReadFrames(TickAt(12)).at(0).stream, 1U);
  for (int seconds = 13; seconds <= 19; ++seconds) EXPECT_EQ(TickAt(seconds), "");
  EXPECT_EQ(BodyOn(3, Say(DataFrame(3, "x", FrameEnd::kStream))), "hello");
  EXPECT_EQ(TickAt(1000), "");
}

TEST_F(Http2SessionTest, CountsTimeFromTheFirstTick) {
  Http2Session other{service, peer, Small()};
  other.Receive(Greeting() + RequestFrame(1, FrameEnd::kNothing));
  int seconds = 1000;
  for (; seconds < 1100 && other.phase() == Session::Phase::kAnswering; ++seconds) {
    other.Tick(std::chrono::seconds(seconds), Deadlines{});
  }
  EXPECT_EQ(seconds, 1013) << "ten, and two looks";
}

TEST_F(Http2SessionTest, ResetsUnreadReply) {
  Say(std::string(kPreface) + NoWindow());
  EXPECT_EQ(BodyOn(1, Say(RequestFrame(1, FrameEnd::kStream))), "");
  for (int seconds = 1; seconds <= 11; ++seconds) EXPECT_EQ(TickAt(seconds), "");
  EXPECT_EQ(ReadFrames(TickAt(12)).at(0).type, FrameType::kReset);
}

// Invariant (6).
TEST_F(Http2SessionTest, ResetsLargeUnreadReplyAtTheSameTime) {
  service.fill = [](HttpReply& reply) { reply.body.assign(40'000, 'x'); };
  Say(std::string(kPreface) + NoWindow());
  Say(RequestFrame(1, FrameEnd::kStream));
  for (int seconds = 1; seconds <= 11; ++seconds) EXPECT_EQ(TickAt(seconds), "");
  EXPECT_EQ(ReadFrames(TickAt(12)).at(0).type, FrameType::kReset);
}

// Invariant (6).
TEST_F(Http2SessionTest, KeepsSlowlyReadReplyWhileItIsRead) {
  service.fill = [](HttpReply& reply) { reply.body.assign(40'000, 'x'); };
  Say(std::string(kPreface) + NoWindow());
  Say(RequestFrame(1, FrameEnd::kStream));
  std::size_t taken = 0;
  for (int seconds = 1; seconds <= 30; ++seconds) {
    taken += BodyOn(1, Say(WindowFrame(1, 1100))).size();
    EXPECT_EQ(TickAt(seconds), "") << seconds;
  }
  EXPECT_EQ(taken, 33'000U);
  EXPECT_GT(session.kept_bytes(), 7000U);
  EXPECT_LT(session.kept_bytes(), 7500U + 2 * sizeof(Http2Stream)) << "with its head";
  std::string said;
  for (int seconds = 31; seconds <= 60 && said.empty(); ++seconds) said = TickAt(seconds);
  EXPECT_EQ(ReadFrames(said).at(0).type, FrameType::kReset);
}

// Invariant (8).
TEST_F(Http2SessionTest, RefusesRequestsWhileWaitingRepliesFillTheBound) {
  service.fill = [](HttpReply& reply) { reply.body.assign(3000, 'x'); };
  Say(std::string(kPreface) + NoWindow());
  for (const int stream : {1, 3}) Say(RequestFrame(stream, FrameEnd::kStream));
  EXPECT_EQ(ReadFrames(Say(RequestFrame(5, FrameEnd::kStream))).at(0).type, FrameType::kReset);
  EXPECT_EQ(service.seen.size(), 2U);
  EXPECT_EQ(BodyOn(1, Say(WindowFrame(1, 3000))).size(), 3000U);
  Say(RequestFrame(7, FrameEnd::kStream));
  EXPECT_EQ(service.seen.size(), 3U);
}

// Invariant (8).
TEST_F(Http2SessionTest, ResetsStreamingRequestsWhileWaitingRepliesFillTheBound) {
  Say(std::string(kPreface) + NoWindow());
  Say(Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, "\x83\x86\x41\x01h\x04\x07/stream"));
  for (int i = 0; i < 5; ++i) {
    for (const SeenFrame& frame :
         ReadFrames(Say(DataFrame(1, std::string(1000, 'x'), FrameEnd::kNothing)))) {
      EXPECT_NE(frame.type, FrameType::kReset) << i;
    }
  }
  const std::string said = Say(DataFrame(1, "x", FrameEnd::kNothing));
  EXPECT_EQ(ReadFrames(said).back().type, FrameType::kReset);
  session.ReleaseMemory();
  EXPECT_EQ(session.kept_bytes(), 0U);
}

TEST_F(Http2SessionTest, ResetsUnreadStreamingReply) {
  Say(std::string(kPreface) + NoWindow());
  const std::string head = "\x83\x86\x41\x01h\x04\x07/stream";
  Say(Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, head));
  for (int seconds = 1; seconds <= 20; ++seconds) EXPECT_EQ(TickAt(seconds), "") << "nothing waits";
  for (int seconds = 21; seconds <= 31; ++seconds) {
    EXPECT_EQ(Say(DataFrame(1, "x", FrameEnd::kNothing)), "");
    EXPECT_EQ(TickAt(seconds), "") << seconds;
  }
  EXPECT_EQ(ReadFrames(TickAt(32)).at(0).type, FrameType::kReset);
  EXPECT_EQ(service.events.back(), StreamEvent::kGone);
  EXPECT_EQ(TickAt(100), "");
}

TEST_F(Http2SessionTest, AllowsServedAndStreamingRequestsAnyTime) {
  service.replies_later = true;
  client.Get("/");
  client.PostUnfinished("/stream", "one");
  Meet();
  for (int seconds = 1; seconds <= 100; ++seconds) EXPECT_EQ(TickAt(seconds), "");
}

TEST_F(Http2SessionTest, ReportsTheHeadPhaseForPartialFrames) {
  EXPECT_EQ(session.phase(), Session::Phase::kHead);
  Say(kPreface.substr(0, 20));
  EXPECT_EQ(session.phase(), Session::Phase::kHead);
  Say(kPreface.substr(20));
  EXPECT_EQ(session.phase(), Session::Phase::kHead) << "its settings are still to come";
  Say(SettingsFrame());
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
  const std::string head = RequestFrame(1, FrameEnd::kStream);
  Say(head.substr(0, 4));
  EXPECT_EQ(session.phase(), Session::Phase::kHead);
  Say(head.substr(4));
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
  Say(Frame(FrameType::kHeaders, FrameEnd::kStream, 3, "\x82"));
  EXPECT_EQ(session.phase(), Session::Phase::kHead) << "more fields are to come";
  Say(Frame(FrameType::kContinuation, FrameEnd::kHeaders, 3, "\x86\x84\x41\x01h"));
  EXPECT_EQ(session.phase(), Session::Phase::kIdle);
}

TEST_F(Http2SessionTest, EndsConnectionOnAWrongPreface) {
  session.Receive("PRI * HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(session.ended());
}

}  // namespace
}  // namespace sluice
