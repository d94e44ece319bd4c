// Endpoint: an address on which a server listens, or at which it can be reached.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

struct TcpEndpoint {
  std::string host;        // a name or an address
  std::uint16_t port = 0;  // 0: any free port, for listening
};

struct UnixEndpoint {
  std::string path;
};

using Endpoint = std::variant<TcpEndpoint, UnixEndpoint>;

// Returns "127.0.0.1:8080" or "[::1]:8080".
std::string JoinPort(std::string_view host, std::uint16_t port);

// Returns the text of JoinPort, or "unix:/run/sluice.sock".
std::string Describe(const Endpoint& endpoint);

}  // namespace sluice
