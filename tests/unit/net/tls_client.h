// The other end of a TlsSession, in the same thread and without sockets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/net/tls_certificates.h"

struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace sluice {

class TlsClient {
 public:
  struct Options {
    std::string authority{};  // whom it believes, in PEM; empty: anybody
    IssuedCertificate own{};  // empty: none
    std::string protocols{};  // for ALPN, each with its length in front
    int version = 0;          // the only one it speaks, as OpenSSL numbers it; 0: any
    std::string ciphers{};    // of TLS 1.2; empty: the usual
  };

  explicit TlsClient(const Options& options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // Takes what the server has sent, and goes on with the handshake.
  void Receive(std::string_view bytes);
  // What is to be sent to the server.
  std::string TakeOutput();

  void Say(std::string_view plaintext);
  void SayGoodbye();
  // Asks for another handshake, as TLS 1.2 can. Whether it may.
  void Renegotiate();

  // Begins with a ticket that another client has got.
  void Resume(const TlsClient& other);

  [[nodiscard]] bool is_connected() const;
  [[nodiscard]] bool is_resumed() const;
  // What ALPN has settled.
  [[nodiscard]] std::string protocol() const;
  [[nodiscard]] std::string version() const;
  // The names in the server's certificate, as OpenSSL writes them.
  [[nodiscard]] std::string server_names() const;

  std::string heard;  // plaintext
  bool is_told_goodbye = false;
  std::string alert;  // that ended it, in the words of OpenSSL
  std::string fault;  // likewise

 private:
  struct Callbacks;
  struct Free {
    void operator()(ssl_ctx_st* context) const;
    void operator()(ssl_st* connection) const;
    void operator()(ssl_session_st* session) const;
  };

  void GoOn();

  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::unique_ptr<ssl_session_st, Free> ticket_;
  std::unique_ptr<ssl_st, Free> connection_;
};

}  // namespace sluice
