// Checks frame by frame what RFC 9113 allows clients to send, and the errors for everything else.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http2/http2_session.h"
#include "unit/net/http2/http2_frame.h"
#include "unit/net/scripted_service.h"

namespace sluice {
namespace {

constexpr std::uint32_t kFlowControlError = 3;
constexpr std::uint32_t kFrameSizeError = 6;
constexpr std::uint32_t kRefusedStream = 7;
constexpr std::uint32_t kCompressionError = 9;
constexpr std::uint32_t kEnhanceYourCalm = 11;

constexpr auto kPriority = static_cast<FrameType>(2);
constexpr auto kPush = static_cast<FrameType>(5);
constexpr auto kPadded = static_cast<FrameEnd>(0x8);
constexpr auto kPaddedEnd = static_cast<FrameEnd>(0xC);        // PADDED and END_HEADERS
constexpr auto kPrioritizedEnd = static_cast<FrameEnd>(0x25);  // PRIORITY and both ends

std::string Open(std::int32_t stream) { return RequestFrame(stream, FrameEnd::kNothing); }
std::string Whole(std::int32_t stream) { return RequestFrame(stream, FrameEnd::kStream); }
std::string Data(std::int32_t stream) { return DataFrame(stream, "abc", FrameEnd::kNothing); }
std::string LastData(std::int32_t stream) { return DataFrame(stream, "abc", FrameEnd::kStream); }
std::string Setting(std::uint8_t name, std::uint32_t value) {
  const std::string setting = std::string(1, '\0') + static_cast<char>(name) + NumberBytes(value);
  return Frame(FrameType::kSettings, FrameEnd::kNothing, 0, setting);
}
// A complete request with these fields.
std::string Head(std::int32_t stream, std::string_view fields) {
  return Frame(FrameType::kHeaders, FrameEnd::kBoth, stream, fields);
}
std::string Field(std::string_view name, std::string_view value) {
  std::string field(1, '\0');
  field += static_cast<char>(name.size());
  field += name;
  field += static_cast<char>(value.size());
  return field.append(value);
}
const std::string kGet = "\x82\x86\x84\x41\x01h";

// A session that has received the preface and settings, and everything it has sent since.
class Server {
 public:
  explicit Server(const Bounds& bounds = {}) : session(service, peer, bounds) {
    Say(std::string(kPreface) + SettingsFrame());
    said.clear();
  }

  void Say(std::string_view bytes) {
    unread_ += bytes;
    unread_.erase(0, session.Receive(unread_));
    said += std::exchange(session.output, {});
  }

  // Returns the error code of the last GOAWAY; 0 if there was none.
  [[nodiscard]] std::uint32_t connection_error() const {
    std::uint32_t error = 0;
    for (const SeenFrame& frame : ReadFrames(said)) {
      if (frame.type == FrameType::kGoaway) error = NumberAt(frame.payload, 4);
    }
    return error;
  }
  // Returns the error code with which the stream was reset; none if it was not.
  [[nodiscard]] std::optional<std::uint32_t> stream_error(std::uint32_t stream) const {
    for (const SeenFrame& frame : ReadFrames(said)) {
      if (frame.type == FrameType::kReset && frame.stream == stream) {
        return NumberAt(frame.payload, 0);
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t Count(FrameType type) const {
    std::size_t count = 0;
    for (const SeenFrame& frame : ReadFrames(said)) count += frame.type == type ? 1 : 0;
    return count;
  }
  [[nodiscard]] std::string BodyOf(std::uint32_t stream) const {
    std::string body;
    for (const SeenFrame& frame : ReadFrames(said)) {
      if (frame.type == FrameType::kData && frame.stream == stream) body += frame.payload;
    }
    return body;
  }

  ScriptedService service;
  Peer peer;
  Http2Session session;
  std::string said;

 private:
  std::string unread_;
};

// Returns the connection error that these frames cause after the settings; 0 for none. Expects the
// session to have ended if and only if there was one.
std::uint32_t ErrorOf(std::string_view frames) {
  Server server;
  server.Say(frames);
  EXPECT_EQ(server.session.ended(), server.connection_error() != 0);
  return server.connection_error();
}

// Returns the error with which these frames reset stream 1, and expects another stream to be served
// as usual.
std::optional<std::uint32_t> StreamErrorOf(std::string_view frames) {
  Server server;
  server.Say(frames);
  server.Say(Whole(101));
  EXPECT_EQ(server.BodyOf(101), "hello");
  EXPECT_FALSE(server.session.ended());
  return server.stream_error(1);
}

TEST(Http2ProtocolTest, RejectsFramesOnEndedStreams) {
  EXPECT_EQ(ErrorOf(Whole(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + LastData(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + ResetFrame(1) + Data(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Open(1) + ResetFrame(1) + Whole(1)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(3) + Whole(5) + Whole(3)), kStreamClosed);
}

TEST(Http2ProtocolTest, RejectsStreamIdsBelowEarlierOnes) {
  EXPECT_EQ(ErrorOf(Whole(5) + Whole(3)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(5) + Whole(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(7) + Whole(5)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(1) + Whole(3) + Whole(1)), kStreamClosed) << "none was passed over";
  EXPECT_EQ(ErrorOf(Whole(5) + Data(3)), kStreamClosed);
  EXPECT_EQ(ErrorOf(Whole(2)), kProtocolError) << "even numbers are the server's";
}

TEST(Http2ProtocolTest, AcceptsInterleavedStreams) {
  const std::string trailers = Frame(FrameType::kHeaders, FrameEnd::kBoth, 3, Field("a", "b"));
  EXPECT_EQ(ErrorOf(Open(1) + Open(3) + Data(1) + Data(3) + LastData(1) + trailers), 0U);
  EXPECT_EQ(ErrorOf(Open(1) + Whole(3) + Whole(5) + LastData(1)), 0U);
}

TEST(Http2ProtocolTest, AcceptsLateFramesOnEndedStreams) {
  const std::string priority(5, '\0');
  EXPECT_EQ(ErrorOf(Whole(1) + ResetFrame(1) + ResetFrame(1)), 0U);
  EXPECT_EQ(ErrorOf(Whole(1) + Frame(kPriority, FrameEnd::kNothing, 1, priority)), 0U);
  EXPECT_EQ(ErrorOf(Whole(1) + WindowFrame(1, 1)), 0U);
}

TEST(Http2ProtocolTest, RejectsFramesOnIdleStreams) {
  EXPECT_EQ(ErrorOf(Data(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(ResetFrame(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(WindowFrame(1, 1)), kProtocolError);
  EXPECT_EQ(ErrorOf(Frame(kPriority, FrameEnd::kNothing, 1, std::string(5, '\0'))), 0U);
}

TEST(Http2ProtocolTest, RejectsFramesOnTheWrongKindOfStream) {
  EXPECT_EQ(ErrorOf(Data(0)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(0)), kProtocolError);
  EXPECT_EQ(ErrorOf(ResetFrame(0)), kProtocolError);
  EXPECT_EQ(ErrorOf(Frame(kPriority, FrameEnd::kNothing, 0, std::string(5, '\0'))), kProtocolError);
  for (const auto& [type, payload] : {std::pair{FrameType::kSettings, ""},
                                      {FrameType::kPing, "12345678"},
                                      {FrameType::kGoaway, "12345678"}}) {
    EXPECT_EQ(ErrorOf(Open(1) + Frame(type, FrameEnd::kNothing, 1, payload)), kProtocolError);
  }
}

TEST(Http2ProtocolTest, RejectsWrongFrameLengths) {
  const auto frame = [](FrameType type, std::int32_t stream, std::size_t size) {
    return Frame(type, FrameEnd::kNothing, stream, std::string(size, '\1'));
  };
  EXPECT_EQ(ErrorOf(frame(FrameType::kPing, 0, 7)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(frame(FrameType::kGoaway, 0, 7)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(frame(FrameType::kSettings, 0, 7)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(Frame(FrameType::kSettings, FrameEnd::kStream, 0, "123456")), kFrameSizeError)
      << "an acknowledgement has none";
  EXPECT_EQ(ErrorOf(frame(FrameType::kWindowUpdate, 0, 3)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(Open(1) + frame(FrameType::kReset, 1, 5)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(Open(1) + frame(FrameType::kData, 1, 16'385)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(Open(1) + frame(FrameType::kData, 1, 16'384)), 0U);
  EXPECT_EQ(StreamErrorOf(Open(1) + frame(kPriority, 1, 4)), kFrameSizeError);
  EXPECT_EQ(ErrorOf(frame(kPriority, 1, 4)), kFrameSizeError);
}

TEST(Http2ProtocolTest, RejectsTooLongFramesByTheirHeader) {
  EXPECT_EQ(ErrorOf(Open(1) + std::string("\0\x40\1\0\0\0\0\0\1", 9)), kFrameSizeError);
}

TEST(Http2ProtocolTest, IgnoresUnknownFramesAndSettings) {
  EXPECT_EQ(ErrorOf(Frame(static_cast<FrameType>(77), FrameEnd::kBoth, 9, "abc")), 0U);
  EXPECT_EQ(ErrorOf(Setting(77, 1)), 0U);
}

TEST(Http2ProtocolTest, RejectsPushPromise) {
  EXPECT_EQ(ErrorOf(Open(1) + Frame(kPush, FrameEnd::kHeaders, 1, NumberBytes(2) + kGet)),
            kProtocolError);
}

TEST(Http2ProtocolTest, RequiresSettingsFirst) {
  for (const std::string& first :
       {Whole(1), Frame(FrameType::kSettings, FrameEnd::kStream, 0, "")}) {
    ScriptedService service;
    Peer peer;
    Http2Session session(service, peer, {});
    session.Receive(std::string(kPreface) + first);
    EXPECT_TRUE(session.ended());
  }
}

TEST(Http2ProtocolTest, AcknowledgesSettingsAndChecksTheirBounds) {
  Server server;
  server.Say(Setting(1, 0) + Setting(3, 0));
  EXPECT_EQ(server.Count(FrameType::kSettings), 2U);
  EXPECT_EQ(ErrorOf(Setting(2, 2)), kProtocolError);
  EXPECT_EQ(ErrorOf(Setting(4, 0x8000'0000)), kFlowControlError);
  EXPECT_EQ(ErrorOf(Setting(5, 16'383)), kProtocolError);
  EXPECT_EQ(ErrorOf(Setting(5, 1U << 24U)), kProtocolError);
  EXPECT_EQ(ErrorOf(Setting(5, (1U << 24U) - 1)), 0U);
}

TEST(Http2ProtocolTest, AnswersPings) {
  Server server;
  server.Say(Frame(FrameType::kPing, FrameEnd::kNothing, 0, "abcdefgh"));
  EXPECT_EQ(server.said, Frame(FrameType::kPing, FrameEnd::kStream, 0, "abcdefgh"));
  server.said.clear();
  server.Say(Frame(FrameType::kPing, FrameEnd::kStream, 0, "abcdefgh"));
  EXPECT_EQ(server.said, "") << "that was an answer";
}

TEST(Http2ProtocolTest, RemovesPadding) {
  Server server;
  server.service.fill = [](HttpReply& reply) { reply.body = "ok"; };
  server.Say(Frame(FrameType::kHeaders, kPaddedEnd, 1, "\2" + kGet + "xx"));
  server.Say(Frame(FrameType::kData, kPadded, 1, std::string("\3abcxxx")));
  server.Say(LastData(1));
  ASSERT_EQ(server.service.seen.size(), 1U);
  EXPECT_EQ(server.service.seen[0].body, "abcabc");
  EXPECT_EQ(ErrorOf(Frame(FrameType::kHeaders, kPaddedEnd, 1, "\7" + kGet)), kProtocolError);
  EXPECT_EQ(ErrorOf(Open(1) + Frame(FrameType::kData, kPadded, 1, "\3ab")), kProtocolError);
  EXPECT_EQ(ErrorOf(Open(1) + Frame(FrameType::kData, kPadded, 1, "\3abc")), 0U) << "nothing else";
  EXPECT_EQ(ErrorOf(Open(1) + Frame(FrameType::kData, kPadded, 1, "")), kProtocolError);
}

TEST(Http2ProtocolTest, IgnoresPriorities) {
  Server server;
  server.Say(Frame(FrameType::kHeaders, kPrioritizedEnd, 1, NumberBytes(3) + "x" + kGet));
  EXPECT_EQ(server.BodyOf(1), "hello");
  EXPECT_EQ(
      StreamErrorOf(Frame(FrameType::kHeaders, kPrioritizedEnd, 1, NumberBytes(1) + "x" + kGet)),
      kProtocolError)
      << "it depends on itself";
  EXPECT_EQ(StreamErrorOf(Open(1) + Frame(kPriority, FrameEnd::kNothing, 1, NumberBytes(1) + "x")),
            kProtocolError);
  EXPECT_EQ(ErrorOf(Frame(FrameType::kHeaders, kPrioritizedEnd, 1, "1234")), kProtocolError);
}

TEST(Http2ProtocolTest, RejectsFramesBetweenContinuations) {
  const std::string begin = Frame(FrameType::kHeaders, FrameEnd::kStream, 1, kGet.substr(0, 2));
  const auto rest = [](std::int32_t stream) {
    return Frame(FrameType::kContinuation, FrameEnd::kHeaders, stream, kGet.substr(2));
  };
  Server server;
  server.Say(begin + rest(1));
  EXPECT_EQ(server.BodyOf(1), "hello");
  EXPECT_EQ(ErrorOf(begin + rest(3)), kProtocolError);
  EXPECT_EQ(ErrorOf(begin + Frame(FrameType::kPing, FrameEnd::kNothing, 0, "12345678")),
            kProtocolError);
  EXPECT_EQ(ErrorOf(begin + Whole(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(rest(1)), kProtocolError);
  EXPECT_EQ(ErrorOf(Whole(1) + rest(1)), kProtocolError);
}

TEST(Http2ProtocolTest, EndsConnectionOnAFloodOfContinuations) {
  const std::string begin = Frame(FrameType::kHeaders, FrameEnd::kNothing, 1, kGet);
  const std::string none = Frame(FrameType::kContinuation, FrameEnd::kNothing, 1, "");
  std::string few;
  for (int i = 0; i < 8; ++i) few += none;
  EXPECT_EQ(ErrorOf(begin + few), 0U);
  EXPECT_EQ(ErrorOf(begin + few + none), kEnhanceYourCalm);
  const std::string much =
      Frame(FrameType::kContinuation, FrameEnd::kNothing, 1, std::string(16'384, 'x'));
  EXPECT_EQ(ErrorOf(begin + much + much + much), 0U);
  EXPECT_EQ(ErrorOf(begin + much + much + much + much), kEnhanceYourCalm);
}

TEST(Http2ProtocolTest, EndsConnectionOnHpackErrors) {
  EXPECT_EQ(ErrorOf(Head(1, "\xFF")), kCompressionError);
  EXPECT_EQ(ErrorOf(Open(1) + Head(1, "\xBF")), kCompressionError) << "in trailers, too";
}

// Invariant (7) of the session.
TEST(Http2ProtocolTest, ResetsOnlyTheStreamOfAMalformedRequest) {
  for (const std::string& fields : std::vector<std::string>{
           "\x82\x86\x41\x01h",                             // no path
           "\x82\x84\x41\x01h",                             // no scheme
           "\x86\x84\x41\x01h",                             // no method
           kGet + "\x82",                                   // two methods
           kGet + Field("a", "b") + "\x84",                 // a second path, after a field
           "\x82\x86\x84" + Field("a", "b") + "\x41\x01h",  // :authority after a field
           kGet + Field("content-length", "0") + Field("content-length", "0"),
           kGet + Field(":other", "b"),                     //
           kGet + "\x88",                                   // a reply's status
           kGet + Field("Accept", "b"),                     // a capital letter
           kGet + Field("", "b"),                           //
           kGet + Field("a b", "c"),                        //
           kGet + Field("a", "b\r\nc: d"),                  //
           kGet + Field("a", " b"),                         //
           kGet + Field("connection", "close"),             //
           kGet + Field("transfer-encoding", "chunked"),    //
           kGet + Field("te", "gzip"),                      //
           kGet + Field("content-length", "x"),             //
           kGet + Field("content-length", "+1"),            //
           kGet + Field("content-length", ""),              //
           "\x82\x86\x41\x01h" + Field(":path", ""),        //
           "\x82\x86\x41\x01h" + Field(":path", "a"),       //
           "\x86\x84\x41\x01h" + Field(":method", "G T"),   //
           "\x82\x86\x84",                                  // no host
           kGet + Field("host", "h") + Field("host", "h"),  // two hosts
           kGet + Field("host", "a b"),                     //
           "\x82\x86\x84\x41\x03"
           "a b",                                              //
           "\x82\x86\x41\x01h" + Field(":path", "/a b"),       //
           "\x82\x86\x41\x01h" + Field(":path", "/a#b"),       //
           "\x82\x86\x41\x01h" + Field(":path", "/\xC3\xA4"),  //
       }) {
    EXPECT_EQ(StreamErrorOf(Head(1, fields)), kProtocolError) << fields;
  }
  EXPECT_EQ(StreamErrorOf(Head(1, kGet + Field("te", "trailers") + Field("a", ""))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(Head(1, "\x82\x86\x84" + Field("host", "[::1]:80"))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(Head(1, kGet + Field("host", "h"))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(Head(1, "\x82\x86\x84" + Field(":authority", "outbound|80||limits"))),
            std::nullopt);
}

TEST(Http2ProtocolTest, SendsNoBodyInRepliesToHead) {
  Server server;
  server.Say(Head(1, "\x86\x84\x41\x01h" + Field(":method", "HEAD")));
  const std::vector<SeenFrame> frames = ReadFrames(server.said);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].type, FrameType::kHeaders);
  EXPECT_EQ(server.session.phase(), Session::Phase::kIdle);
}

TEST(Http2ProtocolTest, RequiresBodyToMatchContentLength) {
  const auto posted = [](std::string_view told, const std::string& body) {
    return Frame(FrameType::kHeaders, FrameEnd::kHeaders, 1, kGet + Field("content-length", told)) +
           body;
  };
  EXPECT_EQ(StreamErrorOf(posted("3", LastData(1))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(posted("2", LastData(1))), kProtocolError);
  EXPECT_EQ(StreamErrorOf(posted("4", LastData(1))), kProtocolError);
  EXPECT_EQ(StreamErrorOf(posted("6", Data(1) + LastData(1))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(Head(1, kGet + Field("content-length", "1"))), kProtocolError);
  EXPECT_EQ(StreamErrorOf(Head(1, kGet + Field("content-length", "0"))), std::nullopt);
}

TEST(Http2ProtocolTest, RequiresTrailersToEndTheRequest) {
  const auto trailer = [](FrameEnd end, std::string_view fields) {
    return Open(1) + Data(1) + Frame(FrameType::kHeaders, end, 1, fields);
  };
  EXPECT_EQ(StreamErrorOf(trailer(FrameEnd::kBoth, Field("a", "b"))), std::nullopt);
  EXPECT_EQ(StreamErrorOf(trailer(FrameEnd::kHeaders, Field("a", "b"))), kProtocolError);
  EXPECT_EQ(StreamErrorOf(trailer(FrameEnd::kBoth, "\x82")), kProtocolError);
}

TEST(Http2ProtocolTest, RefusesStreamsAboveTheMaximum) {
  Bounds bounds;
  bounds.streams = 2;
  Server server(bounds);
  server.Say(Open(1) + Open(3) + Open(5));
  EXPECT_EQ(server.stream_error(5), kRefusedStream);
  server.Say(LastData(5) + LastData(1));
  server.Say(Whole(7));
  EXPECT_EQ(server.BodyOf(1), "hello");
  EXPECT_EQ(server.BodyOf(7), "hello");
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, IgnoresStreamsAfterTheFinalGoaway) {
  Server server;
  server.service.replies_later = true;
  server.Say(Whole(1));
  server.session.Drain();
  server.session.Drain();
  server.Say(Whole(3) + Open(5) + LastData(5));
  EXPECT_EQ(server.service.seen.size(), 1U);
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, NeverRaisesTheLastStreamOfGoaway) {
  Server server;
  server.service.replies_later = true;
  server.Say(Whole(1));
  server.session.Drain();
  server.session.Drain();
  server.Say(Whole(3));
  server.session.Drain();
  server.Say(Whole(5) + WindowFrame(0, 0));
  std::vector<std::uint32_t> last;
  for (const SeenFrame& frame : ReadFrames(server.said)) {
    if (frame.type == FrameType::kGoaway) last.push_back(NumberAt(frame.payload, 0));
  }
  EXPECT_EQ(last, (std::vector<std::uint32_t>{0x7FFF'FFFF, 1, 1, 1}));
}

TEST(Http2ProtocolTest, HoldsRepliesForTheirStreamWindows) {
  Server server;
  server.service.fill = [](HttpReply& reply) { reply.body = std::string(50, 'x'); };
  server.Say(Setting(4, 10) + Whole(1) + Whole(3));
  EXPECT_EQ(server.BodyOf(1).size(), 10U);
  server.Say(WindowFrame(1, 15));
  EXPECT_EQ(server.BodyOf(1).size(), 25U);
  EXPECT_EQ(server.BodyOf(3).size(), 10U);
  server.Say(Setting(4, 35));
  EXPECT_EQ(server.BodyOf(1).size(), 50U);
  EXPECT_EQ(server.BodyOf(3).size(), 35U);
  server.Say(Setting(4, 0) + Setting(4, 1));
  EXPECT_EQ(server.BodyOf(3).size(), 35U) << "a window may be below nothing";
  server.Say(Setting(4, 100));
  EXPECT_EQ(server.BodyOf(3).size(), 50U);
  EXPECT_EQ(server.session.phase(), Session::Phase::kIdle);
}

TEST(Http2ProtocolTest, HoldsRepliesForTheConnectionWindow) {
  Server server;
  server.service.fill = [](HttpReply& reply) { reply.body = std::string(60'000, 'x'); };
  server.Say(Whole(1) + Whole(3));
  EXPECT_EQ(server.BodyOf(1).size() + server.BodyOf(3).size(), 65'535U);
  server.Say(WindowFrame(0, 10) + WindowFrame(3, 1000));
  EXPECT_EQ(server.BodyOf(1).size() + server.BodyOf(3).size(), 65'545U);
  server.Say(WindowFrame(0, 100'000));
  EXPECT_EQ(server.BodyOf(3).size(), 60'000U);
}

TEST(Http2ProtocolTest, ChecksBoundsOfWindows) {
  EXPECT_EQ(ErrorOf(WindowFrame(0, 0)), kProtocolError);
  EXPECT_EQ(ErrorOf(WindowFrame(0, 0x7FFF'FFFF)), kFlowControlError);
  EXPECT_EQ(StreamErrorOf(Open(1) + WindowFrame(1, 0)), kProtocolError);
  EXPECT_EQ(StreamErrorOf(Open(1) + WindowFrame(1, 0x7FFF'FFFF)), kFlowControlError);
  EXPECT_EQ(ErrorOf(Open(1) + WindowFrame(1, 0x7FFF'0000) + Setting(4, 0x7FFF'FFFF)),
            kFlowControlError);
}

TEST(Http2ProtocolTest, SendsWindowUpdatesForBodies) {
  Server server;
  server.Say(Open(1));
  for (int i = 0; i < 63; ++i) {
    server.Say(DataFrame(1, std::string(16'384, 'x'), FrameEnd::kNothing));
  }
  EXPECT_FALSE(server.session.ended());
  EXPECT_EQ(server.stream_error(1), std::nullopt);
  server.Say(LastData(1));
  EXPECT_EQ(server.service.seen.at(0).body.size(), 63 * 16'384 + 3U);
}

TEST(Http2ProtocolTest, ResetsStreamThatExceedsItsWindow) {
  const std::string frame = DataFrame(1, std::string(16'384, 'x'), FrameEnd::kNothing);
  Bounds bounds;
  bounds.request_bytes = 10;  // no more is wanted, so no more room is made
  Server server(bounds);
  server.service.replies_later = true;
  server.Say(Open(1) + frame + frame + frame);
  EXPECT_EQ(server.stream_error(1), std::nullopt);
  server.Say(frame);
  EXPECT_EQ(server.stream_error(1), kFlowControlError);
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, SplitsLongReplyHeaders) {
  const std::string value(40'000, 'v');
  Server server;
  server.service.fill = [&](HttpReply& reply) { reply.headers.Add("Long", value); };
  server.Say(Whole(1));
  const std::vector<SeenFrame> frames = ReadFrames(server.said);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[0].type, FrameType::kHeaders);
  EXPECT_EQ(frames[1].type, FrameType::kContinuation);
  EXPECT_EQ(frames[2].type, FrameType::kContinuation);
  const std::string fields = frames[0].payload + frames[1].payload + frames[2].payload;
  EXPECT_TRUE(fields.ends_with(value));
}

TEST(Http2ProtocolTest, AcceptsBytesInPiecesOfAnySize) {
  const std::string bytes = Open(1) + Data(1) + LastData(1) + Whole(3) + Data(1);
  Server whole;
  whole.Say(bytes);
  EXPECT_EQ(whole.connection_error(), kStreamClosed);
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    Server server;
    for (std::size_t at = 0; at < bytes.size(); at += size) server.Say(bytes.substr(at, size));
    EXPECT_EQ(server.said, whole.said) << size;
    EXPECT_EQ(server.service.seen.size(), 2U) << size;
  }
}

TEST(Http2ProtocolTest, EndsConnectionOnAFloodOfMalformedRequests) {
  Server server;
  std::uint32_t stream = 1;
  for (; stream < 5000 && !server.session.ended(); stream += 2) {
    server.Say(Head(static_cast<std::int32_t>(stream), "\x82"));
  }
  EXPECT_EQ(server.connection_error(), kEnhanceYourCalm);
  EXPECT_EQ(stream, 2 * 1001 + 1U);
}

TEST(Http2ProtocolTest, AllowsResetsAtALowRate) {
  Server server;
  std::int32_t stream = 1;
  for (int second = 1; second < 100; ++second) {
    for (int i = 0; i < 200; ++i, stream += 2) server.Say(Open(stream) + ResetFrame(stream));
    server.session.Tick(std::chrono::seconds(second), {});
  }
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, AllowsResetsOfServedRequests) {
  Server server;
  server.service.replies_later = true;
  for (std::int32_t stream = 1; stream < 10'000; stream += 2) {
    server.Say(Whole(stream));
    server.Say(ResetFrame(stream) + ResetFrame(stream));
    server.service.ReplyToAll();
  }
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, SendsNothingAfterAConnectionError) {
  Server server;
  server.Say(Open(1) + Data(3));
  EXPECT_EQ(server.connection_error(), kProtocolError);
  for (int second = 1; second < 100; ++second) {
    server.session.Tick(std::chrono::seconds(second), {});
  }
  EXPECT_EQ(server.session.output, "");
}

TEST(Http2ProtocolTest, CountsPaddingInTheStreamWindow) {
  Bounds bounds;
  bounds.request_bytes = 10;  // no more is wanted, so no more room is made
  Server server(bounds);
  server.service.replies_later = true;
  const std::string padded =
      static_cast<char>(255) + std::string(16'384 - 1 - 255, 'x') + std::string(255, '\0');
  const std::string frame = Frame(FrameType::kData, kPadded, 1, padded);
  server.Say(Open(1) + frame + frame + frame);
  EXPECT_EQ(server.stream_error(1), std::nullopt);
  server.Say(frame);
  EXPECT_EQ(server.stream_error(1), kFlowControlError);
}

// Streams that were reset are not open any more, but are still being served.
TEST(Http2ProtocolTest, RefusesRequestsAboveTheMaximumInFlight) {
  Bounds bounds;
  bounds.connection_requests = 2;
  Server server(bounds);
  server.service.replies_later = true;
  server.Say(Whole(1) + Whole(3));
  server.Say(ResetFrame(1));
  server.Say(Whole(5));
  EXPECT_EQ(server.stream_error(5), kRefusedStream);
  server.service.ReplyToAll();
  server.service.replies_later = false;
  server.Say(Whole(7));
  EXPECT_EQ(server.BodyOf(7), "hello");
  EXPECT_EQ(server.service.seen.size(), 3U);
}

// Maximum burst of idle frames, which advance no request.
constexpr int kIdleFrames = 10'000;

TEST(Http2ProtocolTest, EndsConnectionOnAFloodOfIdleFrames) {
  const std::string idle[] = {
      Frame(kPriority, FrameEnd::kNothing, 3, std::string("\0\0\0\1\0", 5)),
      WindowFrame(0, 1),
      WindowFrame(1, 1),
      DataFrame(1, "", FrameEnd::kNothing),
      Frame(FrameType::kData, kPadded, 1, std::string(1, '\0')),
      Frame(FrameType::kPing, FrameEnd::kNothing, 0, "8 bytes."),
      Setting(3, 100),
      Frame(static_cast<FrameType>(99), FrameEnd::kNothing, 0, "x"),
  };
  for (const std::string& one : idle) {
    Server server;
    server.Say(Open(1));
    for (int i = 0; i < kIdleFrames / 3; ++i) server.Say(one);
    EXPECT_EQ(server.connection_error(), 0U) << "some are no flood";
    for (int i = 0; i < kIdleFrames; ++i) server.Say(one);
    EXPECT_EQ(server.connection_error(), kEnhanceYourCalm);
    EXPECT_TRUE(server.session.ended());
  }
}

TEST(Http2ProtocolTest, CountsEachSettingAsAnIdleFrame) {
  Server server;
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::string("\0\4\0\1\0\0", 6);
  const std::string frame = Frame(FrameType::kSettings, FrameEnd::kNothing, 0, many);
  for (int i = 0; i < 9; ++i) server.Say(frame);
  EXPECT_EQ(server.connection_error(), 0U);
  for (int i = 0; i < 2; ++i) server.Say(frame);
  EXPECT_EQ(server.connection_error(), kEnhanceYourCalm);
}

TEST(Http2ProtocolTest, AllowsIdleFramesPerRequest) {
  Server server;
  for (int i = 0; i < 2 * kIdleFrames; ++i) {
    server.Say(Whole(2 * i + 1));
    // A client that updates its windows and measures the round trip with each reply sends these.
    const std::string ping = Frame(FrameType::kPing, FrameEnd::kNothing, 0, "8 bytes.");
    server.Say(WindowFrame(0, 2) + WindowFrame(0, 1) + WindowFrame(0, 2) + ping + ping);
    server.said.clear();
  }
  EXPECT_FALSE(server.session.ended());
}

TEST(Http2ProtocolTest, AllowsIdleFramesAtALowRate) {
  Server server;
  const std::string ping = Frame(FrameType::kPing, FrameEnd::kNothing, 0, "8 bytes.");
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 500; ++i) server.Say(ping);
    server.session.Tick(std::chrono::seconds(second), Deadlines{});
  }
  EXPECT_FALSE(server.session.ended());
}

// Each refused stream costs the server a frame, like a stream that is reset.
TEST(Http2ProtocolTest, EndsConnectionOnAFloodOfRefusedStreams) {
  Bounds bounds;
  bounds.streams = 1;
  Server server(bounds);
  server.Say(Open(1));
  std::int32_t stream = 3;
  for (; stream < 5000 && !server.session.ended(); stream += 2) server.Say(Whole(stream));
  EXPECT_EQ(server.connection_error(), kEnhanceYourCalm);
  EXPECT_EQ(stream, 3 + 2 * 1001);
}

// Frames may still arrive on the last streams that the server has reset.
TEST(Http2ProtocolTest, AcceptsFramesThatCrossRecentResets) {
  Server server;
  std::int32_t stream = 1;
  for (int i = 0; i < 600; ++i, stream += 2) {
    server.Say(Frame(FrameType::kHeaders, FrameEnd::kHeaders, stream, "\x82"));  // no request
  }
  for (const int back : {1, 2, 3, 100, 200}) server.Say(Data(stream - 2 * back));
  EXPECT_FALSE(server.session.ended());
  EXPECT_EQ(server.connection_error(), 0U);
}

}  // namespace
}  // namespace sluice
