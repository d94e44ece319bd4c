// Which session a connection is to have.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/bounds.h"
#include "net/peer.h"
#include "net/services.h"
#include "net/session.h"

namespace sluice {

// What is sent, once nothing is around it any more.
enum class Protocol : std::uint8_t { kHttp1, kHttp2, kResp };

// Counts a connection to the address that its PROXY header named. Returns false if that address has
// all connections that it may: then this one ends.
using AdmitClient = std::function<bool(std::string_view address)>;

// What a session is made of. What it refers to outlives the session.
struct SessionParts {
  Services& services;
  const Peer& peer;
  const Bounds& bounds;
  AdmitClient admit_client{};  // for a listener with PROXY headers; may be empty
};

// For a connection that begins with these bytes: one for the PROXY header, or for TLS, or for what
// it speaks. Null while they could still become more than one protocol.
std::unique_ptr<Session> ChooseSession(std::string_view bytes, Services& services, const Peer& peer,
                                       const Bounds& bounds, AdmitClient admit_client = {});

// The same behind the PROXY header.
std::unique_ptr<Session> ChooseBehindProxy(std::string_view bytes, const SessionParts& parts);

// The same behind TLS, or without. `*`, digits and CRLF begin RESP, the whole preface of HTTP/2
// that, and all else HTTP/1.1.
std::unique_ptr<Session> ChooseByBytes(std::string_view bytes, const SessionParts& parts);

std::unique_ptr<Session> MakeSession(Protocol protocol, const SessionParts& parts);

}  // namespace sluice
