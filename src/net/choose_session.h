// Which protocol the first bytes of a connection speak.
#pragma once

#include <memory>
#include <string_view>

#include "net/bounds.h"
#include "net/peer.h"
#include "net/services.h"
#include "net/session.h"

namespace sluice {

// `*` begins RESP, the preface of HTTP/2 that, and all else HTTP/1.1; null while the bytes could
// still become more than one of them. What it refers to outlives the session.
std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds);

}  // namespace sluice
