// Types for the values of settings that are not plain text or numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/model/ip_address.h"

namespace sluice {

// The path of a file or directory; empty if not set.
struct FilePath {
  std::string text;

  friend bool operator==(const FilePath&, const FilePath&) = default;
};

// The prefix of all keys in a store.
struct KeyPrefix {
  std::string text;

  friend bool operator==(const KeyPrefix&, const KeyPrefix&) = default;
};

// A name in a certificate, compared as a whole: a lowercase DNS name, a URI such as
// spiffe://example.org/gateway, or an IP address. A leading `*.` of a DNS name matches exactly one
// label.
struct CertificateName {
  std::string text;

  friend bool operator==(const CertificateName&, const CertificateName&) = default;
};

// A user id of this machine, as the kernel reports it for the peer of a Unix socket.
struct UserId {
  std::uint32_t number = 0;

  friend bool operator==(const UserId&, const UserId&) = default;
};

// Peers whose headers about the client's address are trusted. IpSet(prefixes) tests whether a peer
// is one of them.
struct TrustedProxies {
  std::vector<IpPrefix> prefixes;
  bool unix_sockets = false;

  friend bool operator==(const TrustedProxies&, const TrustedProxies&) = default;
};

// Returns 127.0.0.0/8, ::1 and Unix sockets.
TrustedProxies LocalProxies();

}  // namespace sluice
