// TlsName: a name in a certificate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

// A subject alternative name. The subject's common name is ignored, because it may contain any
// text. Names of different kinds are never equal, because an authority that may issue one may not
// be allowed to issue the other.
//
// Thread safety: none; a plain value.
struct TlsName {
  enum class Kind : std::uint8_t { kDns, kUri, kIp };

  Kind kind = Kind::kDns;
  std::string text;  // DNS names in lower case, IP addresses in canonical form

  friend bool operator==(const TlsName&, const TlsName&) = default;
};

// Parses a configured name: an IP address, a URI (any text with a colon), or otherwise a DNS name,
// in which a leading `*.` stands for any single label.
TlsName ParseTlsName(std::string_view text);

// Returns a DNS name in lower case.
TlsName MakeDnsName(std::string_view text);

// Returns whether one of the names in a certificate matches one of those wanted. `*.example.org`
// matches `a.example.org`, but not `example.org` or `a.b.example.org`.
bool IsAnyOf(std::span<const TlsName> shown, std::span<const TlsName> wanted);

}  // namespace sluice
