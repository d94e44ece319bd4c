// TlsSession: the server's side of TLS, around an inner session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/loop/wrapping_session.h"
#include "net/tls/tls_context.h"

struct bio_method_st;
struct ssl_st;

namespace sluice {

// The server's side of one TLS connection. OpenSSL reads the received bytes and writes to the
// output through a BIO of our own, and never sees a socket.
//
// Thread safety and ownership: as WrappingSession; shares the context.
//
// Invariants, besides those of WrappingSession
//   (1) No request is read before the handshake is complete and the client has been verified.
//   (2) All bytes of one Receive are decrypted before the inner session sees them, so that they
//       form one batch there.
//   (3) The protocol is the one negotiated by ALPN; without ALPN, the first bytes select it.
//   (4) An idle session holds no buffers, neither for input nor for output.
class TlsSession final : public WrappingSession {
 public:
  TlsSession(std::shared_ptr<const TlsContext> context, const SessionParts& parts);
  ~TlsSession() override;

  std::size_t Receive(std::string_view unread) override;
  [[nodiscard]] std::size_t kept_bytes() const override {
    return plaintext_.size() + handshake_bytes_ + WrappingSession::kept_bytes();
  }
  [[nodiscard]] Phase phase() const override;

  // Returns the BIO method through which OpenSSL reads and writes a session's bytes. Owned by the
  // caller (TlsContext). Null if out of memory.
  static bio_method_st* MakeByteMethod();

 private:
  struct Bytes;  // the functions of that BIO method
  struct Free {
    void operator()(ssl_st* connection) const;
  };
  enum class Read : std::uint8_t { kMore, kEnd, kFailed };

  std::unique_ptr<Session> MakeInner(std::string_view bytes) override;
  void Wrap(std::string& said) override;
  void SayGoodbye() override;

  // Continues the handshake. Returns whether it is complete, so that there may be bytes to decrypt.
  bool Handshake();
  // Decrypts the received bytes into plaintext_.
  Read Decrypt();
  // Ends the session after an error, and reports a rejection if the handshake was incomplete.
  void Fail();
  // Rejects a client without TLS, with an error in its own protocol as guessed from its first byte.
  void RefusePlain(char first);

  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<ssl_st, Free> connection_;
  std::string_view received_;        // bytes that OpenSSL has not read yet, during Receive
  std::string plaintext_;            // decrypted bytes that the inner session has not consumed
  std::size_t handshake_bytes_ = 0;  // received during the handshake; OpenSSL may keep them
  bool begun_ = false;
  bool is_in_ = false;  // the handshake is complete
  bool failed_ = false;
};

}  // namespace sluice
