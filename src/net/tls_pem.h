// Certificates and keys out of PEM, and what a certificate says. For the .cc files of TLS alone.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "net/tls_handles.h"
#include "net/tls_name.h"
#include "sluice/result.h"

namespace sluice {

// All certificates of a text, in order; at least one.
Result<std::vector<X509Handle>> ReadCertificates(std::string_view pem);

// All revocation lists of a text, in order; at least one.
Result<std::vector<CrlHandle>> ReadRevocations(std::string_view pem);

// The private key of a text. One under a password is an error: there is nobody to ask.
Result<KeyHandle> ReadKey(std::string_view pem);

// The names that it was made for. A DNS name with a wildcard names nobody in particular, and is
// left out, as is what is no plain ASCII.
std::vector<TlsName> NamesOf(const X509& certificate);

// The last second in which it is good; certificates may say the year 9999.
std::chrono::sys_seconds NotAfter(const X509& certificate);

}  // namespace sluice
