// Entrance: what a connection goes through before its requests are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/peer.h"
#include "net/tls_source.h"

namespace sluice {

// A connection that was not let in, or that was sent away.
struct TurnedAway {
  enum class Cause : std::uint8_t {
    kProxyHeader,        // none, or not from whom one is believed
    kClientCertificate,  // none, or not one that is let in
    kHandshake,          // whatever else keeps two from speaking TLS
    kNoRoom,             // all together keep more than the server has room for
  };

  Cause cause = Cause::kHandshake;
  const Peer& peer;
  std::string_view why;  // words of ours; nothing of what the peer has sent
};

// Of one listener.
//
// Thread safety: immutable; its functions are called by all workers.
struct Entrance {
  // Whose PROXY header is believed, by address. Where it is set every connection begins with one,
  // and who may send none is turned away: whether there is a header cannot be guessed.
  std::function<bool(std::string_view address)> is_proxy;
  std::shared_ptr<const TlsSource> tls;  // null: plain
  std::function<void(const TurnedAway&)> report = [](const TurnedAway&) {};
};

}  // namespace sluice
