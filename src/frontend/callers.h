// Callers: who may lift limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/permission.h"
#include "net/peer.h"
#include "net/tls_name.h"

namespace sluice {

// What sends a request. A page that a browser on this machine shows reaches loopback addresses,
// too, but is not of this machine.
enum class Sender : std::uint8_t { kProgram, kWebPage };

// Thread safety: immutable. Where nothing is said, programs on this machine may: over loopback and
// Unix sockets, and not through a proxy that tells of a client with a PROXY header.
struct Callers {
  std::string token;                // a bearer token; empty: none
  std::vector<std::uint32_t> uids;  // of processes at the other end of a Unix socket
  std::vector<TlsName> names;       // in certificates of clients

  // What a caller may who shows that Authorization header (or none, empty).
  [[nodiscard]] Permission Of(const Peer& peer, std::string_view authorization,
                              Sender sender) const;

  // Whether there is a token and this is it.
  [[nodiscard]] bool IsToken(std::string_view shown) const;
};

}  // namespace sluice
