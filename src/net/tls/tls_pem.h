// Reads certificates and keys from PEM. Included only by .cc files, because it includes OpenSSL.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "net/tls/tls_handles.h"
#include "net/tls/tls_name.h"
#include "sluice/result.h"

namespace sluice {

// Errors begin with a verb ("holds no certificate in PEM"): the caller puts the file in front.

// Returns all certificates in the text, in order. An error if there is none.
Result<std::vector<X509Handle>> ReadCertificates(std::string_view pem);

// Returns all revocation lists in the text, in order. An error if there is none.
Result<std::vector<CrlHandle>> ReadRevocations(std::string_view pem);

// Returns the private key in the text. An encrypted key is an error, because a server cannot ask
// for the password.
Result<KeyHandle> ReadKey(std::string_view pem);

// Returns the certificate's subject alternative names. Omits wildcard DNS names, which identify no
// single client, and names with spaces or bytes that are not printable ASCII.
std::vector<TlsName> NamesOf(const X509& certificate);

// Returns the last second in which the certificate is valid; it may be in the year 9999.
std::chrono::sys_seconds NotAfter(const X509& certificate);

}  // namespace sluice
