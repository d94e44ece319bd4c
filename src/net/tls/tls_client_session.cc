#include "net/tls/tls_client_session.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/tls/tls_handles.h"
#include "net/tls/tls_pem.h"

namespace sluice {
namespace {

// Maximum plaintext of a TLS record, in bytes.
constexpr std::size_t kRecordBytes = std::size_t{16} << 10U;

// OpenSSL security level 2: keys at least as strong as RSA with 2048 bits.
constexpr int kSecurityLevel = 2;

bool IsAddress(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

void TlsClientContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsClientSession::Free::operator()(ssl_st* connection) const { SSL_free(connection); }

TlsClientContext::TlsClientContext() : context_(SSL_CTX_new(TLS_client_method())) {}

Result<std::shared_ptr<const TlsClientContext>> TlsClientContext::Make(
    const TlsClientTexts& texts) {
  std::shared_ptr<TlsClientContext> made(new TlsClientContext);
  SSL_CTX* const context = made->get();
  if (context == nullptr) {
    ERR_clear_error();
    return Error{"OpenSSL cannot be used; its own configuration may be at fault"};
  }
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_security_level(context, kSecurityLevel);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (const Result<Done> done = made->UseAuthorities(texts.ca); !done.ok()) return done.error();
  if (!texts.certificate.empty()) {
    if (const Result<Done> done = made->UseCertificate(texts); !done.ok()) return done.error();
  }
  return std::shared_ptr<const TlsClientContext>(std::move(made));
}

Result<Done> TlsClientContext::UseAuthorities(std::string_view ca) {
  if (ca.empty()) {
    SSL_CTX_set_default_verify_paths(get());
    return Done{};
  }
  const Result<std::vector<X509Handle>> authorities = ReadCertificates(ca);
  if (!authorities.ok()) {
    return Error{Concat("the file of authorities ", authorities.error().message)};
  }
  X509_STORE* const store = SSL_CTX_get_cert_store(get());
  for (const X509Handle& authority : authorities.value()) {
    X509_STORE_add_cert(store, authority.get());
  }
  // Trusts a configured certificate as an authority even if another authority has signed it.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return Done{};
}

Result<Done> TlsClientContext::UseCertificate(const TlsClientTexts& texts) {
  const Result<std::vector<X509Handle>> chain = ReadCertificates(texts.certificate);
  if (!chain.ok()) return Error{Concat("the certificate file ", chain.error().message)};
  const Result<KeyHandle> key = ReadKey(texts.key);
  if (!key.ok()) return Error{Concat("the key file ", key.error().message)};
  X509* const own = chain.value().front().get();
  bool taken = SSL_CTX_use_certificate(get(), own) == 1 &&
               SSL_CTX_use_PrivateKey(get(), key.value().get()) == 1;
  for (std::size_t i = 1; i < chain.value().size() && taken; ++i) {
    taken = SSL_CTX_add1_chain_cert(get(), chain.value()[i].get()) == 1;
  }
  ERR_clear_error();
  if (!taken) return Error{"the key does not belong to the certificate, or one is too weak"};
  return Done{};
}

TlsClientSession::TlsClientSession(std::shared_ptr<const TlsClientContext> context,
                                   const std::string& server)
    : context_(std::move(context)), connection_(SSL_new(context_->get())) {
  BioHandle in(BIO_new(BIO_s_mem()));
  BioHandle out(BIO_new(BIO_s_mem()));
  if (connection_ == nullptr || in == nullptr || out == nullptr) {
    Fail();
    return;
  }
  SSL_set_bio(connection_.get(), in.release(), out.release());
  SSL_set_connect_state(connection_.get());
  Expect(server);
  if (state_ == State::kHandshake) Handshake();
}

void TlsClientSession::Expect(const std::string& server) {
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(connection_.get());
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (IsAddress(server)) {
    if (X509_VERIFY_PARAM_set1_ip_asc(wanted, server.c_str()) != 1) Fail();
    return;
  }
  std::string name = server;  // a copy, because SSL_ctrl takes a non-const pointer
  // Without a name OpenSSL would accept every certificate.
  const bool is_set = !server.empty() && SSL_set1_host(connection_.get(), server.c_str()) == 1 &&
                      SSL_ctrl(connection_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                               TLSEXT_NAMETYPE_host_name, name.data()) == 1;
  if (!is_set) Fail();
}

TlsClientSession::State TlsClientSession::Receive(std::string_view bytes, std::string& plaintext) {
  if (state_ == State::kEnded || state_ == State::kFailed) return state_;
  BIO_write(SSL_get_rbio(connection_.get()), bytes.data(), static_cast<int>(bytes.size()));
  if (state_ == State::kHandshake) Handshake();
  if (state_ == State::kOpen) Decrypt(plaintext);
  return state_;
}

void TlsClientSession::Handshake() {
  ERR_clear_error();
  const int outcome = SSL_do_handshake(connection_.get());
  if (outcome == 1) {
    state_ = State::kOpen;
  } else if (SSL_get_error(connection_.get(), outcome) != SSL_ERROR_WANT_READ) {
    Fail();
  }
  TakeOutput();
}

void TlsClientSession::Decrypt(std::string& plaintext) {
  std::array<char, kRecordBytes> record;
  for (;;) {
    ERR_clear_error();
    std::size_t size = 0;
    const int outcome = SSL_read_ex(connection_.get(), record.data(), record.size(), &size);
    if (outcome == 1) {
      plaintext.append(record.data(), size);
      continue;
    }
    const int error = SSL_get_error(connection_.get(), outcome);
    if (error == SSL_ERROR_ZERO_RETURN) {
      state_ = State::kEnded;
    } else if (error != SSL_ERROR_WANT_READ) {
      Fail();
    }
    return TakeOutput();
  }
}

void TlsClientSession::Send(std::string_view plaintext) {
  assert(state_ == State::kOpen);
  ERR_clear_error();
  std::size_t written = 0;
  const bool is_written =
      SSL_write_ex(connection_.get(), plaintext.data(), plaintext.size(), &written) == 1;
  if (!is_written) Fail();
  TakeOutput();
}

void TlsClientSession::TakeOutput() {
  if (connection_ == nullptr) return;
  char* data = nullptr;
  BIO* const out = SSL_get_wbio(connection_.get());
  const long size = BIO_get_mem_data(out, &data);
  if (size > 0) output.append(data, static_cast<std::size_t>(size));
  BIO_reset(out);
}

void TlsClientSession::Fail() {
  state_ = State::kFailed;
  const unsigned long error = ERR_peek_last_error();
  const long verified =
      connection_ == nullptr ? X509_V_OK : SSL_get_verify_result(connection_.get());
  const char* const words = ERR_reason_error_string(error);
  fault_ = verified != X509_V_OK ? X509_verify_cert_error_string(verified)
           : words == nullptr    ? "the handshake failed"
                                 : words;
  ERR_clear_error();
}

}  // namespace sluice
