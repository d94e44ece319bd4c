// TlsContext: a certificate with its key, and how TLS is spoken with them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/tls_name.h"
#include "sluice/result.h"

struct bio_method_st;
struct ssl_ctx_st;

namespace sluice {

// What a server shows and whom it believes, in PEM.
struct TlsTexts {
  std::string certificate;   // its own first, then those that lead to its authority
  std::string key;           // of its own
  std::string client_ca;     // authorities of clients; empty: clients show no certificate
  std::string client_crl{};  // revocation lists of these authorities; empty: none are looked at

  friend bool operator==(const TlsTexts&, const TlsTexts&) = default;
};

struct TlsOptions {
  enum class Version : std::uint8_t { k12, k13 };
  enum class Clients : std::uint8_t { kRequired, kOptional };

  Version oldest = Version::k12;
  Clients clients = Clients::kRequired;  // where there is a client_ca
  std::vector<TlsName> client_names{};   // of which a client must have one; none: any
};

// TLS 1.2 and 1.3 with authenticated ciphers and forward secrecy alone; no compression, no
// renegotiation, no early data (it could be replayed). Tickets of sessions are given out, and are
// good for nobody else than this context.
//
// Thread safety: immutable; sessions of any thread share one. Ownership: shared by its sessions, so
// that a connection keeps what it began with.
//
// Invariants
//   (1) A client whose certificate is not known by client_ca, has run out, was revoked or has none
//       of client_names gets an alert in place of a connection. So a session that goes on has names
//       that were checked here.
class TlsContext {
 public:
  // Errors say which of the texts is wrong and how, and quote nothing of them.
  static Result<std::shared_ptr<const TlsContext>> Make(const TlsTexts& texts,
                                                        const TlsOptions& options);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  // Of its own certificate.
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
  struct Callbacks;  // what OpenSSL calls

  explicit TlsContext(std::vector<TlsName> client_names);

  void SetUp(TlsOptions::Version oldest);
  Result<Done> UseCertificate(const TlsTexts& texts);
  Result<Done> UseAuthorities(std::string_view client_ca, TlsOptions::Clients clients);
  // REQUIRES: the authorities are in use.
  Result<Done> UseRevocations(std::string_view client_crl);

  const std::vector<TlsName> client_names_;
  std::unique_ptr<bio_method_st, Free> bytes_;  // how sessions' bytes are read and written
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::vector<TlsName> names_;
  std::chrono::sys_seconds not_after_{};
};

}  // namespace sluice
