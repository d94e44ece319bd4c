// ListenerPolicy: what a listener demands of a connection before it reads requests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/loop/peer.h"
#include "net/tls/tls_source.h"

namespace sluice {

// A connection that the server closed for one of these causes.
struct ConnectionRejection {
  enum class Cause : std::uint8_t {
    kProxyHeader,        // a missing or malformed PROXY header, or an untrusted sender
    kClientCertificate,  // a missing, invalid or unknown client certificate
    kHandshake,          // any other failure of the TLS handshake
    kNoRoom,             // Bounds::bytes is exceeded
  };

  Cause cause = Cause::kHandshake;
  const Peer& peer;
  std::string_view why;  // our own text, without any bytes from the peer
};

// The policy of one listener.
//
// Thread safety: immutable; all workers call its functions.
struct ListenerPolicy {
  // Returns whether PROXY headers from this address are trusted. If set, every connection must
  // begin with a header, and peers that are not trusted are rejected, because the presence of a
  // header cannot be guessed from the bytes.
  std::function<bool(std::string_view address)> is_proxy;
  std::shared_ptr<const TlsSource> tls;  // null: no TLS
  // Called for every rejected connection.
  std::function<void(const ConnectionRejection&)> report = [](const ConnectionRejection&) {};
};

}  // namespace sluice
