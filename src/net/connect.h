// Connecting to a server.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "net/endpoint.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// A socket, closed at the end of its life.
//
// Thread safety: none.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Where a server was found: a name is looked up once, and connected to any number of times.
struct ServerAddress {
  struct Place {
    sockaddr_storage storage{};
    socklen_t size = 0;
  };

  std::vector<Place> places;  // of a name, to be tried in this order
  std::string text;           // as the endpoint was written
};

// "cannot look up 'limits.example': Name or service not known"
Result<ServerAddress> FindServer(const Endpoint& endpoint);

// A connection that is made without waiting for it; the places of the address are tried in their
// order. Its socket does not block and does not wait to fill packets.
//
// Thread safety: none. The address outlives it.
class Connecting {
 public:
  enum class State : std::uint8_t { kUnderWay, kMade, kFailed };

  // Each place is to be waited for as long as the timeout, by whoever waits.
  Connecting(const ServerAddress& address, Nanos timeout);

  [[nodiscard]] State state() const { return state_; }

  // While it is under way: what is to be waited for until it can be written to. Each of the calls
  // below may put another in its place.
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }
  // The index of the place that was tried last. REQUIRES: the address has a place.
  [[nodiscard]] std::size_t place() const { return next_ - 1; }
  // It can be written to.
  void Continue();
  // The timeout is over.
  void TimeOut();

  // REQUIRES: kMade.
  [[nodiscard]] Socket Take() { return std::move(socket_); }
  // "cannot connect to 127.0.0.1:8080: Connection refused", or ": no answer in 5s".
  // REQUIRES: kFailed.
  [[nodiscard]] Error error() const;

 private:
  void TryNext();

  const ServerAddress& address_;
  Nanos timeout_;
  std::size_t next_ = 0;  // place
  Socket socket_{-1};
  State state_ = State::kUnderWay;
  int error_ = 0;  // of the place before
};

// A connected socket that does not block and does not wait to fill packets.
// The error is that of Connecting.
Result<Socket> Connect(const ServerAddress& address, Nanos timeout);

}  // namespace sluice
