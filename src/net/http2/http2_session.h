// Http2Session: the server's side of HTTP/2. Receiving is in http2_receive.cc, writing in
// http2_send.cc, everything else in http2_session.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http1/exchange.h"
#include "net/http2/http2_stream.h"
#include "net/http2/http2_streams.h"
#include "net/loop/bounds.h"
#include "net/loop/peer.h"
#include "net/loop/session.h"
#include "wire/http2/hpack_reader.h"
#include "wire/http2/http2_frame.h"

namespace sluice {

// The server's side of one HTTP/2 connection (RFC 9113), without server push and priorities. We do
// not use nghttp2 because it needs three times as many instructions for a small call.
//
// Frames are parsed in place once they are complete: only bodies, and heads split over several
// frames, are copied. Replies are written straight into the output.
//
// Thread safety: none. Ownership: owns its streams; the service and the peer must outlive it.
//
// Invariants, besides those of Session
//   (1) A request that the peer resets before it is served is not served. A request reset later is
//       charged all the same, and its reply is dropped.
//   (2) A body over its bound, or beyond what one connection may hold, is not kept: the request is
//       served at once with Fault::kBodyTooLarge.
//   (3) Every streaming request that the service has seen ends with exactly one of Finish by the
//       service and StreamEvent::kGone to it.
//   (4) Floods of resets, continuations, or frames that advance no request (see SpendIdleFrames)
//       close the connection.
//   (5) A data or header frame on a stream that the peer has ended closes the connection.
//   (6) A request that misses its deadline is reset, whatever other streams do; so is a stream
//       whose reply the peer does not read in time.
//   (7) A protocol error that concerns one stream resets only that stream.
//   (8) While waiting replies fill the output bound, new requests are refused, not left unread:
//       frames must still be read, or window updates would never arrive.
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

  // Idle frames that a peer may send per request and per DATA frame of a reply: clients send window
  // updates and pings as replies arrive.
  static constexpr std::int64_t kIdleFramesPerRequest = 10;
  static constexpr std::int64_t kIdleFramesPerData = 4;

  // Flow-control window of the whole connection, in bytes. With the default of 64 KiB many small
  // requests would wait for window updates.
  static constexpr std::int64_t kConnectionWindow = std::int64_t{1} << 20U;

  // Properties of a head, from its HEADERS frame.
  struct HeadFrame {
    std::uint32_t stream = 0;
    bool ends_stream = false;
    bool depends_on_itself = false;
  };
  // A head whose CONTINUATION frames have not all arrived.
  struct SplitHead {
    HeadFrame frame;  // stream 0: no head is pending
    int continuations = 0;
    std::string block;
  };

  // --- receiving: http2_receive.cc ---

  // Consumes the preface or one frame from the front of `rest`. Returns false if it is incomplete,
  // the output is full, or the connection has failed.
  bool TakeNext(std::string_view& rest);
  bool TakePreface(std::string_view& rest);
  // Returns the connection error that the frame's header causes, or kNone.
  [[nodiscard]] Http2Error Validate(const Http2FrameHeader& header) const;
  void TakeFrame(const Http2FrameHeader& header, std::string_view payload);
  void TakeData(const Http2FrameHeader& header, std::string_view payload);
  void TakeBody(Http2Stream& stream, std::string_view bytes);
  void TakeHeaders(const Http2FrameHeader& header, std::string_view payload);
  void TakeContinuation(const Http2FrameHeader& header, std::string_view payload);
  void TakeHead(const HeadFrame& head, std::string_view block);
  void TakeRequest(const HeadFrame& head, std::string_view block);
  void TakeTrailer(const HeadFrame& head, std::string_view block, Http2Stream* stream);
  // Decodes fields, and stores them in the stream if there is one. Returns false if HPACK decoding
  // fails.
  bool TakeFields(std::string_view block, Http2HeadCheck& check, Http2Stream* stream);
  void KeepField(const HpackField& field, Http2Stream& stream);
  // Returns the open stream that the frame is for, or null. Fails the connection if that stream
  // was never opened.
  Http2Stream* FindFor(const Http2FrameHeader& header);
  void TakePriority(const Http2FrameHeader& header, std::string_view payload);
  void TakeReset(const Http2FrameHeader& header);
  void TakeSettings(const Http2FrameHeader& header, std::string_view payload);
  Http2Error TakeSetting(Http2Setting setting, std::uint32_t value);
  void TakePing(const Http2FrameHeader& header, std::string_view payload);
  void TakeWindowUpdate(const Http2FrameHeader& header, std::string_view payload);
  // Marks the request as fully received. Resets the stream if the body is shorter than announced.
  void EndRequest(Http2Stream& stream);
  // Counts a reset or a refused stream, which costs the server more than the client. Fails the
  // connection if there are too many.
  void SpendAllowance();
  // Counts idle frames, which advance no request: PRIORITY, WINDOW_UPDATE, PING, SETTINGS, GOAWAY,
  // empty DATA, RST_STREAM of a closed stream, and unknown types. Fails the connection if there are
  // more than requests and replies allow for.
  void SpendIdleFrames(std::int64_t count);

  // Fails the connection; later errors are ignored.
  void Fail(Http2Error error);
  // Resets and closes one stream.
  void Reset(Http2Stream& stream, Http2Error error);

  // --- serving: http2_session.cc ---

  // Resets the streams that have missed their deadlines. `step` is the time since the last Tick.
  void GiveUpLate(Nanos step, const Deadlines& deadlines);
  // Starts the time that the peer has for its next move on the stream.
  void Await(Http2Stream& stream);
  // Returns whether the peer has read replies at kMinRate or more since Await.
  [[nodiscard]] bool IsTaking(const Http2Stream& stream, const Deadlines& deadlines) const;
  // Returns whether waiting replies keep the session from serving more. The bound is higher than
  // that of other output unless memory is scarce, because a window update takes a round trip.
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
  // Returns the stream to the pool.
  void Recycle(Http2Stream& stream);
  // Serves all complete requests as one batch, and notifies the service of streaming ones.
  void ServeReady();
  // Reports the event to the service for every streaming request.
  void TellStreams(StreamEvent event);

  // --- writing: http2_send.cc ---

  void SendPreface();
  // Writes as much of the reply as is there and as the windows and the output have room for.
  void Say(Http2Stream& stream);
  void SayHead(Http2Stream& stream);
  void SayBody(Http2Stream& stream);
  void SayTrailers(const Http2Stream& stream);
  // Ends the HEADERS frame that starts at offset `begin` of the output, and moves what exceeds the
  // maximum frame size to CONTINUATION frames.
  void EndFields(std::size_t begin);
  // Writes replies that had to wait, and ends the session once nothing more can follow.
  void Pump();
  [[nodiscard]] bool IsOver() const;

  HttpService& service_;
  const Peer& peer_;
  Bounds bounds_;
  HpackReader fields_;
  Http2Streams streams_;
  std::vector<Http2Stream*> ready_;      // to be served next
  std::vector<Http2Stream*> waiting_;    // with unsent replies, in the order of their turns
  std::vector<Http2Stream*> streaming_;  // open streaming requests
  std::vector<Http2Stream*> turn_;       // waiting_, while Pump iterates over it
  std::vector<Exchange*> batch_;
  SplitHead split_;
  Http2Error fault_ = Http2Error::kNone;
  std::optional<Nanos> looked_;  // time of the last Tick, by the caller's clock
  Nanos now_{0};                 // time of the last Tick, counted from the first one
  Nanos earliest_{0};            // lower bound of `since` of all awaited streams
  std::size_t held_ = 0;         // bytes of all request bodies
  std::size_t heads_ = 0;        // bytes of all request heads
  std::size_t unsaid_ = 0;       // reply bytes that wait for a window or for the output
  std::uint64_t said_ = 0;       // reply bytes written since the connection began
  // Flow-control windows in bytes: sending and receiving on the whole connection, and sending on a
  // new stream.
  std::int64_t send_window_ = kHttp2Window;
  std::int64_t receive_window_ = kConnectionWindow;
  std::int64_t first_send_window_ = kHttp2Window;
  std::int64_t allowance_;        // tokens left, see SpendAllowance
  std::int64_t idle_frames_;      // tokens left, see SpendIdleFrames
  std::size_t acknowledged_ = 0;  // pings and settings acknowledged since the output was empty
  std::uint32_t max_served_;      // highest stream id that is served
  bool has_preface_ = false;
  bool has_settings_ = false;
  bool has_unread_ = false;  // part of a frame has arrived
  bool has_said_fields_ = false;
  bool receiving_ = false;
  bool serving_ = false;
  bool draining_ = false;
  bool goes_away_ = false;     // a GOAWAY was received, or our final one was sent
  bool received_all_ = false;  // the peer sends no more
  std::uint32_t retire_calls_ = 0;
};

}  // namespace sluice
