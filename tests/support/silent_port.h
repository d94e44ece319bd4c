// SilentPort: an address that never answers a connection attempt, like a host that is down.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <vector>

#include "net/loop/connect.h"
#include "net/loop/endpoint.h"

namespace sluice::testing {

// Listens on a free port of 127.0.0.1 with a full backlog, so the system drops further attempts.
//
// Thread safety: none.
class SilentPort {
 public:
  SilentPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const int listener = listener_.descriptor();
    const bool listens = bind(listener, general, size) == 0 &&
                         getsockname(listener, general, &size) == 0 && listen(listener, 0) == 0;
    if (!listens) return;
    number_ = ntohs(address.sin_port);
    constexpr int kAttemptsMax = 16;
    for (int i = 0; i < kAttemptsMax && !is_silent_; ++i) {
      const int client =
          fillers_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
              .descriptor();
      connect(client, general, sizeof address);
      pollfd one{client, POLLOUT, 0};
      is_silent_ = poll(&one, 1, 50) == 0;
    }
  }

  [[nodiscard]] std::uint16_t number() const { return number_; }
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  [[nodiscard]] ServerAddress address() const {
    return FindServer(TcpEndpoint{"127.0.0.1", number_}).value();
  }

 private:
  Socket listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::vector<Socket> fillers_;
  std::uint16_t number_ = 0;
  bool is_silent_ = false;
};

}  // namespace sluice::testing
