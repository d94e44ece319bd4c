// TlsContext: the TLS settings of a listener: its certificate and key, and which clients it trusts.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tls_choices.h"
#include "net/tls/tls_name.h"
#include "sluice/result.h"

struct bio_method_st;
struct ssl_ctx_st;

namespace sluice {

// A server's own certificate and its trusted client authorities, in PEM.
struct TlsTexts {
  std::string certificate;   // chain: the server's own certificate first
  std::string key;           // private key of the server's own certificate
  std::string client_ca;     // trusted client authorities; empty: no client certificates
  std::string client_crl{};  // revocation lists of these authorities; empty: no revocation checks

  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

struct TlsOptions {
  TlsVersion oldest = TlsVersion::k12;
  // Applies if there is a client_ca.
  ClientCertificates clients = ClientCertificates::kRequired;
  // A client must have one of these names. Empty: any name is accepted.
  std::vector<TlsName> client_names{};
};

// TLS 1.2 and 1.3 with authenticated, forward-secret ciphers only; no compression, no
// renegotiation, no early data (it could be replayed). Issues session tickets, which only this
// context accepts.
//
// Thread safety: immutable; sessions on any threads may share one. Ownership: shared by its
// sessions, so that a connection keeps its settings after a reload.
//
// Invariants
//   (1) A client whose certificate was not issued by client_ca, is expired or revoked, or has none
//       of client_names is rejected with an alert during the handshake. The names of an established
//       session have therefore been verified.
class TlsContext {
 public:
  // Parses the texts. Errors name the wrong text and the reason, and quote nothing of it.
  static Result<std::shared_ptr<const TlsContext>> Make(const TlsTexts& texts,
                                                        const TlsOptions& options);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // Names and expiry of the server's own certificate.
  [[nodiscard]] const std::vector<TlsName>& names() const { return names_; }
  [[nodiscard]] std::chrono::sys_seconds not_after() const { return not_after_; }

  // For sessions.
  [[nodiscard]] ssl_ctx_st* get() const { return context_.get(); }
  [[nodiscard]] const bio_method_st* bytes() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
    void operator()(bio_method_st* method) const;
  };
  struct Callbacks;  // functions that OpenSSL calls

  explicit TlsContext(std::vector<TlsName> client_names);

  void SetUp(TlsVersion oldest);
  Result<Done> UseCertificate(const TlsTexts& texts);
  Result<Done> UseAuthorities(std::string_view client_ca, ClientCertificates clients);
  // REQUIRES: UseAuthorities has been called.
  Result<Done> UseRevocations(std::string_view client_crl);

  const std::vector<TlsName> client_names_;
  std::unique_ptr<bio_method_st, Free> bytes_;  // I/O methods of the sessions' BIOs
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::vector<TlsName> names_;
  std::chrono::sys_seconds not_after_{};
};

}  // namespace sluice
