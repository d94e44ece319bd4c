// Peer: the other end of a connection, as far as it is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/tls/tls_name.h"

namespace sluice {

// Thread safety: none; a plain value.
struct Peer {
  // "192.0.2.1" or "2001:db8::1". Empty over a Unix socket; "unknown" if the PROXY header gives no
  // IP address.
  std::string address;
  std::uint16_t port = 0;            // 0 in both of these cases
  std::optional<std::uint32_t> uid;  // user id of the process at the other end of a Unix socket
  // Address of the proxy whose PROXY header named `address` and `port`; empty without one.
  std::string proxy{};
  // Names of the verified client certificate; empty without one.
  std::vector<TlsName> names{};
  // Number of wrong credentials sent over the connection, counted by the services of its worker.
  mutable std::uint32_t wrong_credentials = 0;
};

// Returns whether the address belongs to the loopback interface.
constexpr bool IsLoopback(std::string_view address) {
  return address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
}

}  // namespace sluice
