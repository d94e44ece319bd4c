// Http2Session: HTTP/2 by nghttp2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "net/bounds.h"
#include "net/exchange.h"
#include "net/http2_frame_watch.h"
#include "net/http2_stream.h"
#include "net/peer.h"
#include "net/session.h"

struct nghttp2_session;

namespace sluice {

class Http2Fields;

// The server's side of one HTTP/2 connection.
//
// Thread safety: none. Ownership: the service outlives it; streams are its own.
//
// Invariants, beside those of Session
//   (1) A request that the peer resets before it was served is not served. One that was is charged
//       all the same, and its reply is dropped.
//   (2) A body over its bound, or beyond what a connection may hold in all, is not kept: the
//       request is served at once, as too large.
//   (3) A service hears of the end of every request that streams: it finishes it, or it is gone.
//   (4) Floods of resets, pings, settings and continuations end the connection.
//   (5) So does what comes on a stream that the peer has ended.
//   (6) A request that does not come, or a reply that is not taken, in its time is reset, whatever
//       becomes of others.
class Http2Session final : public Session {
 public:
  Http2Session(HttpService& service, const Peer& peer, const Bounds& bounds);
  ~Http2Session() override;

  std::size_t Receive(std::string_view unread) override;
  void ReceiveEnd() override;
  void WarnOfDrain() override;
  void Drain() override;
  [[nodiscard]] Phase phase() const override;
  void Tick(Nanos now, const Deadlines& deadlines) override;

 private:
  friend class Http2Stream;
  struct Callbacks;  // what nghttp2 calls

  struct Free {
    void operator()(nghttp2_session* session) const;
  };

  // Resets streams that are late. `step` is how long ago that was last looked at.
  void GiveUpLate(Nanos step, const Deadlines& deadlines);
  void Finished(Http2Stream& stream);
  void Send(Http2Stream& stream);
  Http2Stream* Open(std::int32_t id);
  void CompleteHead(Http2Stream& stream);
  void Complete(Http2Stream& stream);
  void Queue(Http2Stream& stream);
  void Closed(Http2Stream& stream);
  // Makes it ready to be another.
  void Recycle(Http2Stream& stream);
  // Serves what is complete, as one batch, and tells of what streams.
  void ServeReady();
  // Begins the reply, or goes on with it.
  void Submit(Http2Stream& stream);
  // Tells the service of all that stream.
  void TellStreams(StreamEvent event);
  // Moves what nghttp2 has to say to the output.
  void Pump();

  HttpService& service_;
  const Peer& peer_;
  Bounds bounds_;
  std::unique_ptr<nghttp2_session, Free> session_;
  Http2FrameWatch watch_;
  std::vector<std::unique_ptr<Http2Stream>> streams_;  // all there are
  std::vector<Http2Stream*> spare_;
  std::vector<Http2Stream*> ready_;
  std::vector<Exchange*> batch_;
  std::unique_ptr<Http2Fields> fields_;  // room for those that are being written
  Nanos now_{0};                         // by the last Tick
  Nanos earliest_{0};                    // no stream that is awaited has been since before
  std::size_t open_ = 0;
  std::size_t held_ = 0;                 // bytes of all bodies
  std::vector<Http2Stream*> streaming_;  // those open that are served as they come
  bool receiving_ = false;
  bool serving_ = false;
  bool draining_ = false;
  bool received_all_ = false;  // the peer sends no more
};

}  // namespace sluice
