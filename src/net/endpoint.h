// Where a server listens, or is reached.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

struct TcpEndpoint {
  std::string host;        // a name or an address
  std::uint16_t port = 0;  // 0: any free one, where something listens
};

struct UnixEndpoint {
  std::string path;
};

using Endpoint = std::variant<TcpEndpoint, UnixEndpoint>;

// "127.0.0.1:8080", "[::1]:8080"
std::string JoinPort(std::string_view host, std::uint16_t port);

// The same, or "unix:/run/sluice.sock".
std::string Describe(const Endpoint& endpoint);

}  // namespace sluice
