// Callers: who may lift limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/audit_log.h"
#include "frontend/front_warnings.h"
#include "net/loop/peer.h"
#include "net/tls/tls_name.h"

namespace sluice {

// The kind of program that sends a request. A page in a browser on this machine reaches loopback
// addresses, too, but it comes from elsewhere.
enum class Sender : std::uint8_t { kProgram, kWebPage };

enum class Protocol : std::uint8_t { kHttp, kGrpc };

// The reason why a caller may lift limits.
enum class Credential : std::uint8_t {
  kNone,  // no permission
  kToken,
  kCertificate,
  kUser,      // the process at the other end of a Unix socket
  kLoopback,  // a loopback address
};

// Decides who may lift limits, by refunds, resets and limits of the caller's own. Over TCP loopback
// only gRPC may do so without a credential: a proxy on this machine makes every client a loopback
// client, but no proxy forwards gRPC by accident.
//
// Thread safety: immutable. Ownership: `warnings` and `audit` outlive it; null: nothing is
// reported.
//
// Invariants
//   (1) A client that a PROXY header names is neither a loopback client nor a Unix peer, whatever
//       its address is.
//   (2) A web page has permission only if it shows the token.
struct Callers {
  std::string token;                // a bearer token; empty: none
  std::vector<std::uint32_t> uids;  // users of processes on a Unix socket
  std::vector<TlsName> names;       // in certificates of clients
  bool loopback = false;            // every program may lift limits over TCP loopback
  FrontWarnings* warnings = nullptr;
  AuditLog* audit = nullptr;

  // Returns the credential of a caller that sends this Authorization header; empty: none was sent.
  [[nodiscard]] Credential Find(const Peer& peer, std::string_view authorization, Sender sender,
                                Protocol protocol) const;

  // Whether the server has a token and `shown` equals it.
  [[nodiscard]] bool IsToken(std::string_view shown) const;
};

// Returns "127.0.0.1:4711", "192.0.2.1:80 by proxy 10.0.0.1" or "uid 1000 at a Unix socket".
std::string DescribePeer(const Peer& peer);
// Returns the subject of warnings: the address without the port, which changes with each
// connection.
std::string_view WarningSubject(const Peer& peer);

}  // namespace sluice
