// Connecting to a server.
#pragma once

#include <sys/socket.h>

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

// A connected socket that does not block and does not wait to fill packets.
// "cannot connect to 127.0.0.1:8080: Connection refused", or ": no answer in 5s".
Result<Socket> Connect(const ServerAddress& address, Nanos timeout);

}  // namespace sluice
