// TlsSession: TLS around a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/outer_session.h"
#include "net/tls_context.h"

struct bio_method_st;
struct ssl_st;

namespace sluice {

// The server's side of one TLS connection, by OpenSSL, which reads from the bytes that have come
// and writes to the output and knows nothing of sockets.
//
// Thread safety and ownership: as OuterSession; it shares the context.
//
// Invariants, beside those of OuterSession
//   (1) Nothing is read as a request before the handshake is over and the client let in.
//   (2) All that one Receive brings is decrypted before the inner session sees it: it is one batch
//       there.
//   (3) What the client has settled by ALPN is what is spoken; without, the first bytes tell.
//   (4) No buffer is held while nothing is under way: not of what came, not of what is sent.
class TlsSession final : public OuterSession {
 public:
  TlsSession(std::shared_ptr<const TlsContext> context, const SessionParts& parts);
  ~TlsSession() override;

  std::size_t Receive(std::string_view unread) override;
  [[nodiscard]] std::size_t kept_bytes() const override {
    return plaintext_.size() + handshake_bytes_ + OuterSession::kept_bytes();
  }
  [[nodiscard]] Phase phase() const override;

  // How OpenSSL gets at a session's bytes, for contexts; the caller frees it. Null if there is no
  // memory.
  static bio_method_st* MakeByteMethod();

 private:
  struct Bytes;  // what OpenSSL calls to read and write
  struct Free {
    void operator()(ssl_st* connection) const;
  };
  enum class Read : std::uint8_t { kMore, kEnd, kFailed };

  std::unique_ptr<Session> MakeInner(std::string_view bytes) override;
  void Wrap(std::string& said) override;
  void SayGoodbye() override;

  // Whether it is over, so that there may be something to decrypt.
  bool Handshake();
  // Adds what the received bytes bring to the plaintext.
  Read Decrypt();
  // Ends after a fault, which is told if the client was not in yet.
  void Fail();
  // Tells whoever speaks without TLS in its own words that it should not.
  void RefusePlain(char first);

  std::shared_ptr<const TlsContext> context_;
  std::unique_ptr<ssl_st, Free> connection_;
  std::string_view received_;        // what OpenSSL has not read yet, while Receive runs
  std::string plaintext_;            // came and is not taken yet
  std::size_t handshake_bytes_ = 0;  // came while the handshake goes on; OpenSSL keeps them
  bool begun_ = false;
  bool is_in_ = false;  // the handshake is over
  bool failed_ = false;
};

}  // namespace sluice
