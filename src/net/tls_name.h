// TlsName: a name that a certificate was made for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

// A subject alternative name. The common name of the subject is none: anything may stand there.
// Names of different kinds are never the same: who may hand out one may not hand out the other.
//
// Thread safety: a value.
struct TlsName {
  enum class Kind : std::uint8_t { kDns, kUri, kIp };

  Kind kind = Kind::kDns;
  std::string text;  // of a DNS name in lower case, of an IP address the one text it has

  friend bool operator==(const TlsName&, const TlsName&) = default;
};

// A name as people write it: an IP address, a URI (which has a colon), or else a DNS name, which
// may begin with `*.`, any one label.
TlsName ParseTlsName(std::string_view text);

TlsName MakeDnsName(std::string_view text);

// Whether one of the names that were shown is one of those wanted. `*.example.org` wants
// `a.example.org`, not `example.org` or `a.b.example.org`.
bool IsAnyOf(std::span<const TlsName> shown, std::span<const TlsName> wanted);

}  // namespace sluice
