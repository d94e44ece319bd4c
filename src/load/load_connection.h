// LoadConnection: a socket and the load session it carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "load/load_session.h"
#include "net/connect.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Moves bytes between a socket that does not block and a session. Where the server closes, it may
// be opened again, without waiting for that.
//
// Thread safety: none. The server's address outlives it.
class LoadConnection {
 public:
  // What came of reading.
  enum class Heard : std::uint8_t { kSome, kNothing, kEnd };

  // How far opening it has come.
  enum class Opening : std::uint8_t { kUnderWay, kOpen };

  // Connects, waits for that, and has `epoll` tell of it under its own address.
  Result<Done> Open(const ServerAddress& server, Nanos timeout, int epoll,
                    std::unique_ptr<LoadSession> session);
  // What is under way is told of as errors with this cause.
  void Close(std::string_view cause);
  [[nodiscard]] bool is_open() const { return session_ != nullptr; }

  // The same without waiting. While it is under way `epoll` tells when to go on; after an error it
  // is closed. REQUIRES: it is closed.
  Result<Opening> BeginOpening(const ServerAddress& server, Nanos timeout, int epoll,
                               std::unique_ptr<LoadSession> session);
  [[nodiscard]] bool is_opening() const { return connecting_.has_value(); }
  // `epoll` has told of it, or the timeout is over. REQUIRES: it is opening.
  Result<Opening> ContinueOpening(int epoll);
  Result<Opening> TimeOutOpening(int epoll);

  // These REQUIRE that it is open.

  [[nodiscard]] LoadSession& session() { return *session_; }
  // Whether a request may be sent, if at most `depth` are under way.
  [[nodiscard]] bool HasRoom(std::size_t depth) const {
    return session_->takes_requests() && session_->in_flight() < depth;
  }
  // Reads what there is, once, into `scratch`. kSome: `bytes` are for the session to receive.
  Heard Read(std::span<char> scratch, std::string_view& bytes) const;
  // Sends what the system takes; it has `epoll` tell when it takes more. A connection that is gone
  // is for Read to find.
  void Flush(int epoll);

  // When the server last answered, or was asked while nothing was under way; kept by the owner.
  // Bytes that are no answer do not count: one now and then would keep a request under way forever.
  Time answered_at{};
  // When it began to open, or went on with it; kept by the owner.
  Time opening_at{};

 private:
  Result<Opening> Settle(int epoll);
  void Begin(Socket socket, std::unique_ptr<LoadSession> session, int epoll);
  void Watch(int epoll, int descriptor, std::uint32_t events);

  std::optional<Connecting> connecting_;
  std::unique_ptr<LoadSession> next_session_;  // while it is opening
  std::optional<Socket> socket_;
  std::unique_ptr<LoadSession> session_;
  std::size_t sent_ = 0;  // of the output
  bool waits_to_write_ = false;
};

}  // namespace sluice
