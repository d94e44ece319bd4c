// Http2Stream: one stream of HTTP/2 as an exchange.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

  void Open(std::int32_t id);

  // Both keep what they are given until Open.
  void AddField(std::string_view name, std::string_view value);
  void AddBody(std::string_view bytes) { body_.append(bytes); }

  [[nodiscard]] std::size_t field_bytes() const { return bytes_.size(); }
  [[nodiscard]] std::size_t field_count() const { return places_.size(); }
  [[nodiscard]] std::size_t body_bytes() const { return body_.size(); }

  // Makes `request` a view of the head that came.
  void CompleteHead(const Peer& peer);
  // The same of the body, as far as it has come and was not taken. Returns how many bytes were.
  std::size_t ShowBody();
  // Gives back the memory of large texts. Returns the bytes of the body that were still held.
  std::size_t LetGo();

  void Finish() override;
  void Send() override;

  [[nodiscard]] std::int32_t id() const { return id_; }
  [[nodiscard]] Http2Session& session() { return session_; }

  // Where the stream is on its way; only its session writes them.
  bool streams = false;    // served as it comes
  bool complete = false;   // the whole request is there, or as much as is wanted of it
  bool ready = false;      // in line to be served
  bool served = false;     // handed to the service
  bool submitted = false;  // the reply is on its way
  bool finished = false;   // the service has replied
  bool closed = false;     // the peer has gone, or has all it gets

  // Whether the peer is to move next: to send the rest of the request or to take the reply. When
  // that began, and how long it may take.
  [[nodiscard]] bool is_awaited() const { return !closed && (finished || (!complete && !streams)); }
  Nanos since{0};
  [[nodiscard]] Nanos Allowed(const Deadlines& deadlines) const;

  // How much of the reply's body has been handed on.
  std::size_t sent = 0;
  // The reply's status as it is written.
  std::array<char, 12> status{};

 private:
  struct Place {
    std::uint32_t name = 0;  // where it begins; its value follows
    std::uint32_t value = 0;
    std::uint32_t end = 0;
  };

  [[nodiscard]] std::string_view Cut(std::uint32_t from, std::uint32_t to) const {
    return std::string_view(bytes_).substr(from, to - from);
  }

  Http2Session& session_;
  std::int32_t id_ = 0;
  std::string bytes_;  // of all fields
  std::vector<Place> places_;
  std::vector<Header> headers_;
  std::string body_;
};

}  // namespace sluice
