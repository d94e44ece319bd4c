// A TLS client (OpenSSL) for a TlsSession in the same thread, without sockets.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/net/tls/tls_certificates.h"

struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

namespace sluice {

class TlsClient {
 public:
  struct Options {
    std::string authority{};  // trusted authority in PEM; empty: no verification
    IssuedCertificate own{};  // client certificate; empty: none
    std::string protocols{};  // for ALPN, each preceded by its length
    int version = 0;          // the only version it supports, an OpenSSL constant; 0: any
    std::string ciphers{};    // ciphers for TLS 1.2; empty: OpenSSL's default
  };

  explicit TlsClient(const Options& options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // Processes bytes from the server and continues the handshake.
  void Receive(std::string_view bytes);
  // Returns the bytes to send to the server.
  std::string TakeOutput();

  void Say(std::string_view plaintext);
  void SayGoodbye();
  // Requests a renegotiation (TLS 1.2).
  void Renegotiate();

  // Resumes the session of another client by its ticket. To be called before the handshake.
  void Resume(const TlsClient& other);

  [[nodiscard]] bool is_connected() const;
  [[nodiscard]] bool is_resumed() const;
  // Returns the protocol negotiated by ALPN.
  [[nodiscard]] std::string protocol() const;
  [[nodiscard]] std::string version() const;
  // Returns the names in the server's certificate, in OpenSSL's format.
  [[nodiscard]] std::string server_names() const;

  std::string heard;             // decrypted bytes
  bool is_told_goodbye = false;  // close_notify was received
  std::string alert;             // last alert received, in OpenSSL's words
  std::string fault;             // error of the connection, in OpenSSL's words

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
