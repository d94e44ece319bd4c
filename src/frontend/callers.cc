#include "frontend/callers.h"

#include <algorithm>

#include "core/same_secret.h"

namespace sluice {
namespace {

// Whom a proxy tells about is elsewhere, also who has a loopback address there.
bool IsLocal(const Peer& peer) {
  if (!peer.proxy.empty()) return false;
  return peer.address.empty() || peer.address == "::1" || peer.address.starts_with("127.") ||
         peer.address.starts_with("::ffff:127.");
}

}  // namespace

bool Callers::IsToken(std::string_view shown) const {
  return !token.empty() && IsSameSecret(shown, token);
}

Permission Callers::Of(const Peer& peer, std::string_view authorization, Sender sender) const {
  const auto when = [](bool holds) { return holds ? Permission::kLift : Permission::kAsk; };
  if (token.empty() && uids.empty() && names.empty()) {
    return when(IsLocal(peer) && sender == Sender::kProgram);
  }
  if (!token.empty() && ShowsToken(authorization, token)) return Permission::kLift;
  // A browser shows its certificate for any page that asks something of us.
  if (sender == Sender::kProgram && IsAnyOf(peer.names, names)) return Permission::kLift;
  return when(peer.uid && std::ranges::find(uids, *peer.uid) != uids.end());
}

}  // namespace sluice
