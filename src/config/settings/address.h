// Network addresses in configuration: "127.0.0.1:8080", "[::1]:8080", "unix:/run/sluice.sock".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/model/ip_address.h"
#include "sluice/result.h"

namespace sluice {

// Port 0 means any free port; it is valid only for an address to listen on.
struct TcpAddress {
  std::string host;             // a lowercase name, or the canonical text of `ip`
  std::optional<IpAddress> ip;  // set if the host is an IP address; names are not resolved here
  std::uint16_t port = 0;

  friend bool operator==(const TcpAddress&, const TcpAddress&) = default;
};

struct UnixAddress {
  std::string path;

  friend bool operator==(const UnixAddress&, const UnixAddress&) = default;
};

using Address = std::variant<TcpAddress, UnixAddress>;

// The size of sockaddr_un::sun_path without its terminating null byte.
inline constexpr std::size_t kMaxUnixPathBytes = 107;

// Parses `host:port`, `[IPv6]:port` or `unix:PATH`. The host and the port are required: an empty
// host could mean either this machine or all interfaces.
Result<Address> ParseAddress(std::string_view text);

// Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; without a port, the result has
// `port_otherwise`. Rejects port 0.
Result<TcpAddress> ParseHost(std::string_view text, std::uint16_t port_otherwise);

// Returns the canonical text of an address. ParseAddress parses it back to the same address.
std::string FormatAddress(const Address& address);

// Returns whether only this machine can reach the address: a loopback address, `localhost` or a
// Unix socket.
bool IsLocal(const Address& address);

// Returns whether two sockets cannot listen on both addresses: they are equal, or one is the
// wildcard address of the other's port.
bool Clash(const Address& one, const Address& other);

}  // namespace sluice
