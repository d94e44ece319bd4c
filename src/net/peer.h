// Peer: who is at the other end of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sluice {

// Thread safety: a value.
struct Peer {
  std::string address;               // "192.0.2.1", "2001:db8::1"; empty over a Unix socket
  std::uint16_t port = 0;            // likewise 0
  std::optional<std::uint32_t> uid;  // of the process at the other end of a Unix socket
};

}  // namespace sluice
