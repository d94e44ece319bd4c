// Http2Stream: the exchange on one HTTP/2 stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http1/exchange.h"
#include "net/loop/bounds.h"
#include "sluice/time.h"

namespace sluice {

class Http2Session;

// Collects a request from its frames and tracks how much of the reply has been sent. Streams are
// pooled and reused, so after the first few requests nothing is allocated.
//
// Thread safety: none. Ownership: owned by its session (through Http2Streams).
class Http2Stream final : public Exchange {
 public:
  explicit Http2Stream(Http2Session& session) : session_(session) {}
  ~Http2Stream() = default;

  // Clears the state of the previous request and takes a new id.
  void Open(std::uint32_t id);

  // Append copies of the fields and the body, which are kept until the next Open.
  void AddField(std::string_view name, std::string_view value);
  void AddBody(std::string_view bytes) { body_.append(bytes); }

  [[nodiscard]] std::size_t field_bytes() const { return bytes_.size(); }
  [[nodiscard]] std::size_t field_count() const { return places_.size(); }
  // Returns the bytes that the head takes up.
  [[nodiscard]] std::size_t head_bytes() const {
    return bytes_.size() + places_.size() * (sizeof(Place) + sizeof(Header));
  }
  [[nodiscard]] std::size_t body_bytes() const { return body_.size(); }

  // Fills in `request` with views of the received head.
  void CompleteHead(const Peer& peer);
  // Drops the `taken` bytes from the body and makes request.body a view of the rest. Returns the
  // number of bytes dropped.
  std::size_t ShowBody();
  // Removes the reply's body.
  void DropBody() {
    reply.body.clear();
    reply.fixed_body = {};
  }
  // Clears all texts and frees the memory of large ones. Returns the body bytes that it held.
  std::size_t ReleaseMemory();
  // Returns the bytes of memory that the stream holds, in use or not. Reply headers are written by
  // our own services and small, so they count as a constant.
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + kReplyHeadBytes + bytes_.capacity() + body_.capacity() +
           reply.body.capacity() + places_.capacity() * (sizeof(Place) + sizeof(Header));
  }
  // The memory_bytes() that Http2Streams has counted.
  std::size_t counted_bytes = 0;

  void Finish() override;
  void Send() override;

  [[nodiscard]] std::uint32_t id() const { return id_; }

  // The state of the stream; written only by its session.
  struct Progress {
    bool streams = false;    // delivered to the service piece by piece
    bool ended = false;      // the client has sent END_STREAM or reset the stream
    bool complete = false;   // the request is complete, or its rest is not needed
    bool ready = false;      // queued to be served
    bool served = false;     // passed to the service
    bool submitted = false;  // the reply's head has been written
    bool finished = false;   // the service has called Finish
    bool told_end = false;   // END_STREAM has been written
    bool waits = false;      // the rest of the reply waits for a window or for the output
    bool closed = false;     // reset by either side, or the reply has been sent
    std::size_t sent = 0;    // bytes of the reply's body that were written
    std::size_t unsaid = 0;  // bytes of the reply's body that wait, counted in the session
    // Flow-control windows in bytes.
    std::int64_t send_window = 0;
    std::int64_t receive_window = 0;
    // Body bytes still to come according to Content-Length; none: no Content-Length.
    std::optional<std::uint64_t> announced;
  };
  Progress at;

  // Returns whether the peer has to move next: to send the rest of the request or to read the
  // reply.
  [[nodiscard]] bool is_awaited() const {
    return !at.closed && (at.finished || at.waits || (!at.complete && !at.streams));
  }
  Nanos since{0};               // when the peer's time began, by the session's clock
  std::uint64_t said_then = 0;  // reply bytes that the session had written by then
  // Returns how long the peer may take.
  [[nodiscard]] Nanos Allowed(const Deadlines& deadlines) const;

 private:
  struct Place {
    std::uint32_t name = 0;  // offset of the name in bytes_; the value follows it
    std::uint32_t value = 0;
    std::uint32_t end = 0;
  };

  static constexpr std::size_t kReplyHeadBytes = 512;

  [[nodiscard]] std::string_view Cut(std::uint32_t from, std::uint32_t to) const {
    return std::string_view(bytes_).substr(from, to - from);
  }

  Http2Session& session_;
  std::uint32_t id_ = 0;
  std::string bytes_;  // names and values of all fields
  std::vector<Place> places_;
  std::vector<Header> headers_;
  std::string body_;
};

}  // namespace sluice
