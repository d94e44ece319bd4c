#include "frontend/callers.h"

#include <algorithm>

#include "base/same_secret.h"
#include "base/text.h"

namespace sluice {

bool Callers::IsToken(std::string_view shown) const {
  return !token.empty() && IsSameSecret(shown, token);
}

Credential Callers::Find(const Peer& peer, std::string_view authorization, Sender sender,
                         Protocol protocol) const {
  if (!token.empty() && ShowsToken(authorization, token)) return Credential::kToken;
  // A browser sends its certificate and its address with the requests of any page.
  if (sender == Sender::kWebPage) return Credential::kNone;
  if (IsAnyOf(peer.names, names)) return Credential::kCertificate;
  if (!peer.proxy.empty()) return Credential::kNone;
  if (peer.uid && std::ranges::find(uids, *peer.uid) != uids.end()) return Credential::kUser;
  const bool is_open = loopback || protocol == Protocol::kGrpc;
  return is_open && IsLoopback(peer.address) ? Credential::kLoopback : Credential::kNone;
}

std::string DescribePeer(const Peer& peer) {
  if (peer.uid) return Concat("uid ", *peer.uid, " at a Unix socket");
  if (peer.address.empty()) return "a Unix socket";
  const bool is_v6 = peer.address.find(':') != std::string::npos;
  std::string text = Concat(is_v6 ? "[" : "", peer.address, is_v6 ? "]:" : ":", peer.port);
  if (!peer.proxy.empty()) text += Concat(" by proxy ", peer.proxy);
  return text;
}

std::string_view WarningSubject(const Peer& peer) {
  return peer.address.empty() ? "a Unix socket" : std::string_view(peer.address);
}

}  // namespace sluice
