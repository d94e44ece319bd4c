// Addresses to listen at or to reach, as people write them: "127.0.0.1:8080", "unix:/run/s.sock".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/ip_address.h"
#include "sluice/result.h"

namespace sluice {

// The port 0 stands for any free one, where something listens.
struct TcpAddress {
  std::string host;             // a name in lower case, or the one text of `ip`
  std::optional<IpAddress> ip;  // where the host is an address; names are not looked up
  std::uint16_t port = 0;

  friend bool operator==(const TcpAddress&, const TcpAddress&) = default;
};

struct UnixAddress {
  std::string path;

  friend bool operator==(const UnixAddress&, const UnixAddress&) = default;
};

using Address = std::variant<TcpAddress, UnixAddress>;

// What the kernel takes, less its closing zero.
inline constexpr std::size_t kUnixPathBytesMost = 107;

// Reads `host:port`, `[IPv6]:port` and `unix:PATH`. All parts must be there: whether an empty host
// would mean this machine or the world cannot be guessed.
Result<Address> ParseAddress(std::string_view text);

// Reads `host`, `host:port`, `[IPv6]` and `[IPv6]:port`. Port 0 is refused.
Result<TcpAddress> ParseHost(std::string_view text, std::uint16_t port_otherwise);

// The one text of an address, which ParseAddress gives back.
std::string FormatAddress(const Address& address);

// Whether only this machine reaches it: a loopback address, `localhost`, a Unix socket.
bool IsLocal(const Address& address);

// Whether no two sockets can listen at both: they are the same, or one is all addresses of the
// other's port.
bool Clash(const Address& one, const Address& other);

}  // namespace sluice
