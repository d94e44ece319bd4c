// Chooses the session of a new connection: PROXY header, TLS, and then the protocol.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/loop/bounds.h"
#include "net/loop/peer.h"
#include "net/loop/services.h"
#include "net/loop/session.h"

namespace sluice {

// The application protocol, without PROXY header and TLS.
enum class Protocol : std::uint8_t { kHttp1, kHttp2, kResp };

// Counts a connection to the client address from its PROXY header. Returns false if that address
// has reached its maximum; the caller must then close the connection.
using AdmitClient = std::function<bool(std::string_view address)>;

// The arguments for constructing a session, which must outlive it.
struct SessionParts {
  Services& services;
  const Peer& peer;
  const Bounds& bounds;
  AdmitClient admit_client{};  // for a listener with PROXY headers; may be empty
};

// Returns the outermost session for a connection that begins with `bytes`: one that reads the PROXY
// header, one that speaks TLS, or that of a protocol. Null while more than one protocol can begin
// with these bytes.
std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds, AdmitClient admit_client = {});

// Returns the session for the bytes after the PROXY header; null as above.
std::unique_ptr<Session> ChooseBehindProxy(std::string_view bytes, const SessionParts& parts);

// Returns the session for plaintext bytes; null as above. `*`, digits and CRLF select RESP, the
// complete preface HTTP/2, and everything else HTTP/1.1.
std::unique_ptr<Session> ChooseByBytes(std::string_view bytes, const SessionParts& parts);

std::unique_ptr<Session> MakeSession(Protocol protocol, const SessionParts& parts);

}  // namespace sluice
