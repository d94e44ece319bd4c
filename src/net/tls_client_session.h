// TlsClientSession: the client's side of TLS, without the socket.
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

// Whom a client believes and what it shows, in PEM.
struct TlsClientTexts {
  std::string ca;           // authorities of servers; empty: those of the system
  std::string certificate;  // empty: it shows none
  std::string key;          // of the certificate
};

// TLS 1.2 and 1.3 as TlsContext speaks them, for connections that we open.
//
// Thread safety: immutable; sessions of any thread share one.
class TlsClientContext {
 public:
  // Errors say which of the texts is wrong and how, and quote nothing of them.
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

// One connection. It begins to speak at once: there is output before anything was received.
//
// Thread safety: none. Ownership: it shares the context.
//
// Invariants
//   (1) Nothing is sent or received in plain, and nothing before the server has shown a certificate
//       that is good for the name.
class TlsClientSession {
 public:
  enum class State : std::uint8_t { kHandshake, kOpen, kEnded, kFailed };

  // The name, or address, that the server's certificate must have.
  TlsClientSession(std::shared_ptr<const TlsClientContext> context, const std::string& server);
  TlsClientSession(const TlsClientSession&) = delete;
  TlsClientSession& operator=(const TlsClientSession&) = delete;
  ~TlsClientSession() = default;

  // Takes what has come, and adds what it means to the plaintext.
  State Receive(std::string_view bytes, std::string& plaintext);
  // REQUIRES: kOpen.
  void Send(std::string_view plaintext);

  [[nodiscard]] State state() const { return state_; }
  // kFailed: why, for a log.
  [[nodiscard]] const std::string& fault() const { return fault_; }

  // What is to be sent. The connection takes it from here.
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
