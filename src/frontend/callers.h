// Callers: who may lift limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/audit_log.h"
#include "frontend/front_warnings.h"
#include "net/peer.h"
#include "net/tls_name.h"

namespace sluice {

// What sends a request. A page that a browser on this machine shows reaches loopback addresses,
// too, but is not of this machine.
enum class Sender : std::uint8_t { kProgram, kWebPage };

enum class Protocol : std::uint8_t { kHttp, kGrpc };

// What gives a caller permission to lift limits.
enum class Credential : std::uint8_t {
  kNone,  // no permission
  kToken,
  kCertificate,
  kUser,      // the process at the other end of a Unix socket
  kLoopback,  // the address
};

// Refunds, resets and limits that the caller brings lift limits. Over TCP loopback only gRPC does
// so without a credential: a proxy on this machine makes every client a loopback client, but no
// proxy forwards gRPC by accident.
//
// Thread safety: immutable. Ownership: what it reports to outlives it; null: nothing is reported.
//
// Invariants
//   (1) A client that a PROXY header tells of is neither a loopback client nor a Unix peer,
//       whatever its address is.
//   (2) A web page has permission only if it shows the token.
struct Callers {
  std::string token;                // a bearer token; empty: none
  std::vector<std::uint32_t> uids;  // of processes at the other end of a Unix socket
  std::vector<TlsName> names;       // in certificates of clients
  bool loopback = false;            // over TCP loopback everybody may
  FrontWarnings* warnings = nullptr;
  AuditLog* audit = nullptr;

  // The credential of a caller who sends that Authorization header (or none, empty).
  [[nodiscard]] Credential Find(const Peer& peer, std::string_view authorization, Sender sender,
                                Protocol protocol) const;

  // Whether there is a token and this is it.
  [[nodiscard]] bool IsToken(std::string_view shown) const;
};

// "127.0.0.1:4711", "192.0.2.1:80 by proxy 10.0.0.1", "uid 1000 at a Unix socket".
std::string DescribePeer(const Peer& peer);
// The same without the port, which a peer changes with each connection: the subject of warnings.
std::string_view WarningSubject(const Peer& peer);

}  // namespace sluice
