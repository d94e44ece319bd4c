// Connects to a server, blocking or from an event loop.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "net/loop/endpoint.h"
#include "sluice/result.h"
#include "sluice/time.h"

namespace sluice {

// Owns a socket and closes it on destruction. -1: none.
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

// The result of looking up an endpoint, which can be used for any number of connections.
struct ServerAddress {
  struct Place {
    sockaddr_storage storage{};
    socklen_t size = 0;
  };

  std::vector<Place> places;  // socket addresses, to be tried in this order
  std::string text;           // the endpoint as configured
};

// Looks up an endpoint; blocks while it asks the resolver. Errors read:
// "cannot look up 'limits.example': Name or service not known"
Result<ServerAddress> FindServer(const Endpoint& endpoint);

// A non-blocking connection attempt that tries the places of an address in order. The socket is
// non-blocking and has TCP_NODELAY set.
//
// Thread safety: none. Ownership: owns the socket until Take; the address must outlive it.
class Connecting {
 public:
  enum class State : std::uint8_t { kUnderWay, kMade, kFailed };

  // Starts the first attempt. `timeout` is per place; the caller measures it and calls TimeOut.
  Connecting(const ServerAddress& address, Nanos timeout);

  [[nodiscard]] State state() const { return state_; }

  // While kUnderWay: the descriptor to wait for until it is writable. Continue and TimeOut may
  // replace it.
  [[nodiscard]] int descriptor() const { return socket_.descriptor(); }
  // Returns the index of the place tried last. REQUIRES: the address has a place.
  [[nodiscard]] std::size_t place() const { return next_ - 1; }
  // To be called when the descriptor is writable.
  void Continue();
  // To be called when the timeout has passed; tries the next place.
  void TimeOut();

  // Returns the connected socket. REQUIRES: kMade.
  [[nodiscard]] Socket Take() { return std::move(socket_); }
  // Returns "cannot connect to 127.0.0.1:8080: Connection refused" or ": no answer in 5s".
  // REQUIRES: kFailed.
  [[nodiscard]] Error error() const;

 private:
  void TryNext();

  const ServerAddress& address_;
  Nanos timeout_;
  std::size_t next_ = 0;  // index of the next place to try
  Socket socket_{-1};
  State state_ = State::kUnderWay;
  int error_ = 0;  // errno of the last attempt
};

// Connects and blocks until it has succeeded or failed, for at most `timeout` per place. The socket
// and the error are those of Connecting.
Result<Socket> Connect(const ServerAddress& address, Nanos timeout);

}  // namespace sluice
