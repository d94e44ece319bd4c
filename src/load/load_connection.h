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
// be opened again.
//
// Thread safety: none.
class LoadConnection {
 public:
  // What came of reading.
  enum class Heard : std::uint8_t { kSome, kNothing, kEnd };

  // Connects, with a new session, and has `epoll` tell of it under its own address.
  Result<Done> Open(const ServerAddress& server, Nanos timeout, int epoll,
                    std::unique_ptr<LoadSession> session);
  // What is under way is told of as errors with this cause.
  void Close(std::string_view cause);
  [[nodiscard]] bool is_open() const { return session_ != nullptr; }

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

  // When the server was last heard of, or had all it was asked for; kept by the owner.
  Time heard_at{};

 private:
  void Watch(int epoll, bool for_writing);

  std::optional<Socket> socket_;
  std::unique_ptr<LoadSession> session_;
  std::size_t sent_ = 0;  // of the output
  bool waits_to_write_ = false;
};

}  // namespace sluice
