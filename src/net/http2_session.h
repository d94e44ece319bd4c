// Http2Session: the server's side of HTTP/2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/bounds.h"
#include "net/exchange.h"
#include "net/http2_stream.h"
#include "net/http2_streams.h"
#include "net/peer.h"
#include "net/session.h"
#include "wire/hpack_reader.h"
#include "wire/http2_frame.h"

namespace sluice {

// The server's side of one HTTP/2 connection (RFC 9113): no pushes, no priorities. It is our own
// because a small call costs it a third of the instructions that it costs nghttp2.
//
// Frames are taken whole, out of the bytes that came: only the fields of a head that is split, and
// bodies, are copied. Replies are written straight into the output.
//
// Thread safety: none. Ownership: the service outlives it; streams are its own.
//
// Invariants, beside those of Session
//   (1) A request that the peer resets before it was served is not served. One that was is charged
//       all the same, and its reply is dropped.
//   (2) A body over its bound, or beyond what a connection may hold in all, is not kept: the
//       request is served at once, as too large.
//   (3) A service hears of the end of every request that streams: it finishes it, or it is gone.
//   (4) Floods of resets and continuations, and of frames that bring no request any further (see
//       SpendIdleFrames), end the connection.
//   (5) So does what comes on a stream that the peer has ended.
//   (6) A request that does not come in its time is reset, whatever becomes of others; so is a
//       reply that waits while the peer takes none.
//   (7) Whatever breaks the protocol for a stream alone resets that stream alone.
//   (8) While replies that wait are at the bound of the output no request is taken: what comes is
//       refused, so that windows still are opened.
class Http2Session final : public Session {
 public:
  Http2Session(HttpService& service, const Peer& peer, const Bounds& bounds);
  ~Http2Session() override;

  std::size_t Receive(std::string_view unread) override;
  void ReceiveEnd() override;
  void WarnOfDrain() override;
  void Drain() override;
  void Retire() override;
  [[nodiscard]] Phase phase() const override;
  [[nodiscard]] std::size_t kept_bytes() const override;
  void ReleaseMemory() override;
  void Tick(Nanos now, const Deadlines& deadlines) override;

 private:
  friend class Http2Stream;

  // Frames that do nothing which a peer may send for each request that it begins, and for each
  // piece of a reply: clients open windows and measure the connection as replies come.
  static constexpr std::int64_t kIdleFramesPerRequest = 10;
  static constexpr std::int64_t kIdleFramesPerData = 4;

  // How much a peer may send before it hears that it may send more: on the whole connection, where
  // the default of 64 KiB would make many small requests wait.
  static constexpr std::int64_t kConnectionWindow = std::int64_t{1} << 20U;

  // What a frame says of the head that it begins.
  struct HeadFrame {
    std::uint32_t stream = 0;
    bool ends_stream = false;
    bool depends_on_itself = false;
  };
  // A head whose fields are not all there.
  struct SplitHead {
    HeadFrame frame;  // that of no stream: there is none
    int continuations = 0;
    std::string block;
  };

  // --- what comes: http2_receive.cc ---

  // Takes the preface, or a frame, off `rest`. False if it is not all there, nothing more is to be
  // taken for now, or the connection is at fault.
  bool TakeNext(std::string_view& rest);
  bool TakePreface(std::string_view& rest);
  // The error that a frame is, whatever its payload.
  [[nodiscard]] Http2Error Judge(const Http2FrameHeader& header) const;
  void TakeFrame(const Http2FrameHeader& header, std::string_view payload);
  void TakeData(const Http2FrameHeader& header, std::string_view payload);
  void TakeBody(Http2Stream& stream, std::string_view bytes);
  void TakeHeaders(const Http2FrameHeader& header, std::string_view payload);
  void TakeContinuation(const Http2FrameHeader& header, std::string_view payload);
  void TakeHead(const HeadFrame& head, std::string_view block);
  void TakeRequest(const HeadFrame& head, std::string_view block);
  void TakeTrailer(const HeadFrame& head, std::string_view block, Http2Stream* stream);
  // Reads fields, into the stream if there is one. False if they cannot be read.
  bool TakeFields(std::string_view block, Http2HeadCheck& check, Http2Stream* stream);
  void KeepField(const HpackField& field, Http2Stream& stream);
  // The stream that a frame is for. Nothing if there is none; where that breaks the protocol the
  // connection is at fault.
  Http2Stream* FindFor(const Http2FrameHeader& header);
  void TakePriority(const Http2FrameHeader& header, std::string_view payload);
  void TakeReset(const Http2FrameHeader& header);
  void TakeSettings(const Http2FrameHeader& header, std::string_view payload);
  Http2Error TakeSetting(Http2Setting setting, std::uint32_t value);
  void TakePing(const Http2FrameHeader& header, std::string_view payload);
  void TakeWindowUpdate(const Http2FrameHeader& header, std::string_view payload);
  // The stream has all of its request. What was told of its length must hold.
  void EndRequest(Http2Stream& stream);
  // Counts something that costs more to answer than to send.
  void SpendAllowance();
  // Counts frames that do not bring a request any further: priorities, windows, pings, settings,
  // empty data and what is not known. Requests and replies allow for some.
  void SpendIdleFrames(std::int64_t count);

  // The whole connection is at fault; only the first fault counts.
  void Fail(Http2Error error);
  // A stream is.
  void Reset(Http2Stream& stream, Http2Error error);

  // --- what is served: http2_session.cc ---

  void GiveUpLate(Nanos step, const Deadlines& deadlines);
  // From now on the peer is to move.
  void Await(Http2Stream& stream);
  // Whether the peer, since it is awaited, takes replies as fast as it must.
  [[nodiscard]] bool IsTaking(const Http2Stream& stream, const Deadlines& deadlines) const;
  // Whether replies that wait for a window keep it from serving more. More of them may wait than
  // of other output, because opening windows takes clients a round trip.
  [[nodiscard]] bool IsFull() const {
    return output.size() + unsaid_ >=
           (is_memory_scarce() ? max_output() : bounds_.connection_bytes);
  }
  void Finished(Http2Stream& stream);
  void Send(Http2Stream& stream);
  BodyDelivery CompleteHead(Http2Stream& stream);
  void BeginStreaming(Http2Stream& stream);
  void Complete(Http2Stream& stream);
  void Queue(Http2Stream& stream);
  void Close(Http2Stream& stream);
  // Makes it ready to be another.
  void Recycle(Http2Stream& stream);
  // Serves what is complete, as one batch, and tells of what streams.
  void ServeReady();
  // Tells the service of all that stream.
  void TellStreams(StreamEvent event);

  // --- what is said: http2_send.cc ---

  void Greet();
  // Says as much of a reply as there is and there is room for.
  void Say(Http2Stream& stream);
  void SayHead(Http2Stream& stream);
  void SayBody(Http2Stream& stream);
  void SayTrailers(const Http2Stream& stream);
  // Cuts the fields since `begin`, a frame's place, in pieces that a frame may have.
  void EndFields(std::size_t begin);
  // Says what could not be said before, and ends once nothing more can come.
  void Pump();
  [[nodiscard]] bool IsOver() const;

  HttpService& service_;
  const Peer& peer_;
  Bounds bounds_;
  HpackReader fields_;
  Http2Streams streams_;
  std::vector<Http2Stream*> ready_;
  std::vector<Http2Stream*> waiting_;    // to say more, in their order
  std::vector<Http2Stream*> streaming_;  // those open that are served as they come
  std::vector<Http2Stream*> turn_;       // of waiting_, while they are looked at
  std::vector<Exchange*> batch_;
  SplitHead split_;
  Http2Error fault_ = Http2Error::kNone;
  std::optional<Nanos> looked_;  // when Tick was called last, by its caller's clock
  Nanos now_{0};                 // then, from the first call on
  Nanos earliest_{0};            // no stream that is awaited has been since before
  std::size_t held_ = 0;         // bytes of all bodies
  std::size_t heads_ = 0;        // and of all heads
  std::size_t unsaid_ = 0;       // those of replies that wait for a window
  std::uint64_t said_ = 0;       // bytes of replies, ever
  // How many bytes may be sent on all streams together, and may come; and on a new one.
  std::int64_t send_window_ = kHttp2Window;
  std::int64_t receive_window_ = kConnectionWindow;
  std::int64_t first_send_window_ = kHttp2Window;
  std::int64_t allowance_;        // see SpendAllowance
  std::int64_t idle_frames_;      // see SpendIdleFrames
  std::size_t acknowledged_ = 0;  // pings and settings, since the output was empty
  std::uint32_t served_most_;     // no stream above it is
  bool has_preface_ = false;
  bool has_settings_ = false;
  bool has_unread_ = false;  // part of a frame is there
  bool has_said_fields_ = false;
  bool receiving_ = false;
  bool serving_ = false;
  bool draining_ = false;
  bool goes_away_ = false;     // one of the two sides has said that it will
  bool received_all_ = false;  // the peer sends no more
  std::uint32_t retire_calls_ = 0;
};

}  // namespace sluice
