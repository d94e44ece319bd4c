// Owning pointers to OpenSSL's objects. Included only by .cc files and tls_pem.h, to keep OpenSSL
// out of other headers.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>

namespace sluice {

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

using X509Handle = std::unique_ptr<X509, FreeTls>;
using CrlHandle = std::unique_ptr<X509_CRL, FreeTls>;
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeTls>;
using BioHandle = std::unique_ptr<BIO, FreeTls>;

}  // namespace sluice
