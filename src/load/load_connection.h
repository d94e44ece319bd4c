// LoadConnection: a socket and the load session that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "load/load_session.h"
#include "net/loop/connect.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Moves bytes between a non-blocking socket and a session. After the server has closed the
// connection, it can be reopened without blocking.
//
// Thread safety: none. The server's address must outlive it.
class LoadConnection {
 public:
  // The result of Read.
  enum class Heard : std::uint8_t { kSome, kNothing, kEnd };

  // The progress of opening the connection.
  enum class Opening : std::uint8_t { kUnderWay, kOpen };

  // Connects, blocking until that has finished, and registers with `epoll`; events carry a pointer
  // to this object.
  Result<Done> Open(const ServerAddress& server, Nanos timeout, int epoll,
                    std::unique_ptr<LoadSession> session);
  // Closes the connection. Requests in flight are reported as errors with this cause.
  void Close(std::string_view cause);
  [[nodiscard]] bool is_open() const { return session_ != nullptr; }

  // Begins to connect without blocking. While the result is kUnderWay, `epoll` reports when to call
  // ContinueOpening; after an error the connection is closed. REQUIRES: it is closed.
  Result<Opening> BeginOpening(const ServerAddress& server, Nanos timeout, int epoll,
                               std::unique_ptr<LoadSession> session);
  [[nodiscard]] bool is_opening() const { return connecting_.has_value(); }
  // Called after an event from `epoll`, or after the timeout. REQUIRES: is_opening().
  Result<Opening> ContinueOpening(int epoll);
  Result<Opening> TimeOutOpening(int epoll);

  // The functions below REQUIRE is_open().

  [[nodiscard]] LoadSession& session() { return *session_; }
  // Whether a request may be sent while at most `depth` may be in flight.
  [[nodiscard]] bool HasRoom(std::size_t depth) const {
    return session_->takes_requests() && session_->in_flight() < depth;
  }
  // Reads available bytes once, into `scratch`. After kSome, pass `bytes` to the session.
  Heard Read(std::span<char> scratch, std::string_view& bytes) const;
  // Sends as much output as the socket accepts; if some is left, `epoll` reports when the socket is
  // writable. Errors are ignored here, because Read finds a lost connection.
  void Flush(int epoll);

  // When the server last answered, or when a request was sent while none was in flight; maintained
  // by the owner. Bytes that are not an answer do not count, because occasional bytes would keep a
  // request in flight forever.
  Time answered_at{};
  // When opening began or last made progress; maintained by the owner.
  Time opening_at{};

 private:
  Result<Opening> Settle(int epoll);
  void Begin(Socket socket, std::unique_ptr<LoadSession> session, int epoll);
  void Watch(int epoll, int descriptor, std::uint32_t events);

  std::optional<Connecting> connecting_;
  std::unique_ptr<LoadSession> next_session_;  // the session to use once it is open
  std::optional<Socket> socket_;
  std::unique_ptr<LoadSession> session_;
  std::size_t sent_ = 0;  // bytes of the output already sent
  bool waits_to_write_ = false;
};

}  // namespace sluice
