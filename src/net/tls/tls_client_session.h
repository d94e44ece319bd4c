// TlsClientSession: the client's side of a TLS connection, without the socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sluice/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace sluice {

// A client's trusted authorities and its own certificate, in PEM.
struct TlsClientTexts {
  std::string ca;           // trusted authorities of servers; empty: those of the system
  std::string certificate;  // empty: no client certificate
  std::string key;          // private key of the certificate
};

// The settings of outgoing TLS 1.2 and 1.3 connections, as those of TlsContext.
//
// Thread safety: immutable; sessions on any threads may share one.
class TlsClientContext {
 public:
  // Parses the texts. Errors name the wrong text and the reason, and quote nothing of it.
  static Result<std::shared_ptr<const TlsClientContext>> Make(const TlsClientTexts& texts);

  TlsClientContext(const TlsClientContext&) = delete;
  TlsClientContext& operator=(const TlsClientContext&) = delete;
  ~TlsClientContext() = default;

  // For sessions.
  [[nodiscard]] ssl_ctx_st* get() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };

  TlsClientContext();
  Result<Done> UseAuthorities(std::string_view ca);
  Result<Done> UseCertificate(const TlsClientTexts& texts);

  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// The client's side of one TLS connection. The client speaks first, so `output` holds the first
// handshake message after construction.
//
// Thread safety: none. Ownership: shares the context; the caller moves bytes from and to a socket.
//
// Invariants
//   (1) No plaintext is sent or received until the server has presented a valid certificate for
//       the expected name.
class TlsClientSession {
 public:
  enum class State : std::uint8_t { kHandshake, kOpen, kEnded, kFailed };

  // `server` is the name or IP address that the server's certificate must contain.
  TlsClientSession(std::shared_ptr<const TlsClientContext> context, const std::string& server);
  TlsClientSession(const TlsClientSession&) = delete;
  TlsClientSession& operator=(const TlsClientSession&) = delete;
  ~TlsClientSession() = default;

  // Processes received bytes and appends decrypted ones to `plaintext`.
  State Receive(std::string_view bytes, std::string& plaintext);
  // Encrypts `plaintext` and appends it to the output. REQUIRES: kOpen.
  void Send(std::string_view plaintext);

  [[nodiscard]] State state() const { return state_; }
  // Returns the reason of kFailed, for logs.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // Bytes to send; the caller removes them.
  std::string output;

 private:
  struct Free {
    void operator()(ssl_st* connection) const;
  };

  void Expect(const std::string& server);
  void Handshake();
  void Decrypt(std::string& plaintext);
  void TakeOutput();
  void Fail();

  std::shared_ptr<const TlsClientContext> context_;
  std::unique_ptr<ssl_st, Free> connection_;
  State state_ = State::kHandshake;
  std::string fault_;
};

}  // namespace sluice
