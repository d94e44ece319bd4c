// Http2Stream: one stream of HTTP/2 as an exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/bounds.h"
#include "net/exchange.h"
#include "sluice/time.h"

namespace sluice {

class Http2Session;

// A request as its frames bring it, and the reply as its frames take it away. Used again and again:
// after the first few requests nothing is allocated.
//
// Thread safety: none. Ownership: its session's, which outlives it.
class Http2Stream final : public Exchange {
 public:
  explicit Http2Stream(Http2Session& session) : session_(session) {}
  ~Http2Stream() = default;

  void Open(std::uint32_t id);

  // Both keep what they are given until Open.
  void AddField(std::string_view name, std::string_view value);
  void AddBody(std::string_view bytes) { body_.append(bytes); }

  [[nodiscard]] std::size_t field_bytes() const { return bytes_.size(); }
  [[nodiscard]] std::size_t field_count() const { return places_.size(); }
  // What all of it takes up.
  [[nodiscard]] std::size_t head_bytes() const {
    return bytes_.size() + places_.size() * (sizeof(Place) + sizeof(Header));
  }
  [[nodiscard]] std::size_t body_bytes() const { return body_.size(); }

  // Makes `request` a view of the head that came.
  void CompleteHead(const Peer& peer);
  // The same of the body, as far as it has come and was not taken. Returns how many bytes were;
  // their memory is given back.
  std::size_t ShowBody();
  // Makes the reply one without a body.
  void DropBody() {
    reply.body.clear();
    reply.fixed_body = {};
  }
  // Gives back the memory of large texts. Returns the bytes of the body that were still held.
  std::size_t LetGo();
  // Returns the bytes of memory that it holds, whether or not it is in use. The headers of replies
  // are ours and small: they count as a constant.
  [[nodiscard]] std::size_t memory_bytes() const {
    return sizeof(*this) + kReplyHeadBytes + bytes_.capacity() + body_.capacity() +
           reply.body.capacity() + places_.capacity() * (sizeof(Place) + sizeof(Header));
  }
  // What it was counted as when that was last looked at; for Http2Streams.
  std::size_t counted_bytes = 0;

  void Finish() override;
  void Send() override;

  [[nodiscard]] std::uint32_t id() const { return id_; }

  // Where the stream is on its way; only its session writes them.
  struct Progress {
    bool streams = false;    // served as it comes
    bool ended = false;      // the client has sent all of it
    bool complete = false;   // so, or as much has come as is wanted of it
    bool ready = false;      // in line to be served
    bool served = false;     // handed to the service
    bool submitted = false;  // the reply is on its way
    bool finished = false;   // the service has replied
    bool told_end = false;   // the reply has been said to its end
    bool waits = false;      // with the rest of its reply, until there is room for that
    bool closed = false;     // the peer has gone, or has all it gets
    // Of the reply's body what has been handed on, and what waits.
    std::size_t sent = 0;
    std::size_t unsaid = 0;
    // How many bytes more may be sent, and may come.
    std::int64_t send_window = 0;
    std::int64_t receive_window = 0;
    // What is still to come of a body whose length was told.
    std::optional<std::uint64_t> announced;
  };
  Progress at;

  // Whether the peer is to move next: to send the rest of the request or to take the reply. When
  // that began, what the session had said by then, and how long it may take.
  [[nodiscard]] bool is_awaited() const {
    return !at.closed && (at.finished || at.waits || (!at.complete && !at.streams));
  }
  Nanos since{0};
  std::uint64_t said_then = 0;
  [[nodiscard]] Nanos Allowed(const Deadlines& deadlines) const;

 private:
  struct Place {
    std::uint32_t name = 0;  // where it begins; its value follows
    std::uint32_t value = 0;
    std::uint32_t end = 0;
  };

  static constexpr std::size_t kReplyHeadBytes = 512;

  [[nodiscard]] std::string_view Cut(std::uint32_t from, std::uint32_t to) const {
    return std::string_view(bytes_).substr(from, to - from);
  }

  Http2Session& session_;
  std::uint32_t id_ = 0;
  std::string bytes_;  // of all fields
  std::vector<Place> places_;
  std::vector<Header> headers_;
  std::string body_;
};

}  // namespace sluice
