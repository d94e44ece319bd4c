// Peer: who is at the other end of a connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/tls_name.h"

namespace sluice {

// Thread safety: a value.
struct Peer {
  // "192.0.2.1", "2001:db8::1"; empty over a Unix socket; "unknown" where the proxy could not tell.
  std::string address;
  std::uint16_t port = 0;            // 0 likewise
  std::optional<std::uint32_t> uid;  // of the process at the other end of a Unix socket
  // The address of the proxy whose PROXY header told the two above; empty where nobody did.
  std::string proxy{};
  // Those of its certificate, which is good; none where it has shown none.
  std::vector<TlsName> names{};
  // Wrong credentials that came over its connection. The services of its worker count them.
  mutable std::uint32_t wrong_credentials = 0;
};

// Whether an address is one of the loopback interface's.
constexpr bool IsLoopback(std::string_view address) {
  return address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
}

}  // namespace sluice
