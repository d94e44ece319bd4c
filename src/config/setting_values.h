// The values of settings that are more than a text or a number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/ip_address.h"

namespace sluice {

// A file or a directory; empty for none.
struct FilePath {
  std::string text;

  friend bool operator==(const FilePath&, const FilePath&) = default;
};

// What all keys in a store begin with.
struct KeyPrefix {
  std::string text;

  friend bool operator==(const KeyPrefix&, const KeyPrefix&) = default;
};

// A name in a certificate, compared as a whole: a DNS name in lower case, a URI such as
// spiffe://example.org/gateway, or an IP address. `*.` in front of a DNS name is any one label.
struct CertificateName {
  std::string text;

  friend bool operator==(const CertificateName&, const CertificateName&) = default;
};

// A user of this machine, as the kernel says who is at the other end of a Unix socket.
struct UserId {
  std::uint32_t number = 0;

  friend bool operator==(const UserId&, const UserId&) = default;
};

// Those whose word counts about where a request came from. IpSet(prefixes) tells whether a peer is
// one of them.
struct TrustedProxies {
  std::vector<IpPrefix> prefixes;
  bool unix_sockets = false;

  friend bool operator==(const TrustedProxies&, const TrustedProxies&) = default;
};

// 127.0.0.0/8, ::1 and Unix sockets.
TrustedProxies LocalProxies();

}  // namespace sluice
