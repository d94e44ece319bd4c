#include "unit/net/tls/tls_client.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace sluice {
namespace {

X509* ReadCertificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return certificate;
}

EVP_PKEY* ReadKey(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return key;
}

}  // namespace

struct TlsClient::Callbacks {
  static void Note(const SSL* connection, int where, int what) {
    constexpr int kReadAlert = SSL_CB_READ_ALERT;
    if ((where & kReadAlert) != kReadAlert) return;
    auto& client = *static_cast<TlsClient*>(SSL_get_app_data(connection));
    // OpenSSL has no description of this alert.
    const bool wants_certificate = (what & 0xFF) == TLS13_AD_CERTIFICATE_REQUIRED;
    const std::string words =
        wants_certificate ? "certificate required" : SSL_alert_desc_string_long(what);
    if (words != "close notify") client.alert = words;
  }

  static int Keep(SSL* connection, SSL_SESSION* session) {
    static_cast<TlsClient*>(SSL_get_app_data(connection))->ticket_.reset(session);
    return 1;
  }
};

void TlsClient::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsClient::Free::operator()(ssl_st* connection) const { SSL_free(connection); }
void TlsClient::Free::operator()(ssl_session_st* session) const { SSL_SESSION_free(session); }

TlsClient::TlsClient(const Options& options) : context_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX* context = context_.get();
  // Level 0, so that the client can offer what a server must reject.
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
  SSL_CTX_sess_set_new_cb(context, Callbacks::Keep);
  SSL_CTX_set_info_callback(context, Callbacks::Note);
  if (options.version != 0) {
    SSL_CTX_set_min_proto_version(context, options.version);
    SSL_CTX_set_max_proto_version(context, options.version);
  }
  if (!options.ciphers.empty()) SSL_CTX_set_cipher_list(context, options.ciphers.c_str());
  if (!options.authority.empty()) {
    X509* authority = ReadCertificate(options.authority);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  if (!options.own.certificate.empty()) {
    X509* certificate = ReadCertificate(options.own.certificate);
    EVP_PKEY* key = ReadKey(options.own.key);
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
    const std::size_t above = options.own.certificate.find("-----BEGIN", 1);
    if (above != std::string::npos) {
      SSL_CTX_add0_chain_cert(context, ReadCertificate(options.own.certificate.substr(above)));
    }
  }
  if (!options.protocols.empty()) {
    SSL_CTX_set_alpn_protos(context,
                            reinterpret_cast<const unsigned char*>(options.protocols.data()),
                            static_cast<unsigned>(options.protocols.size()));
  }
  connection_.reset(SSL_new(context));
  SSL_set_bio(connection_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(connection_.get());
  SSL_set_app_data(connection_.get(), this);
}

TlsClient::~TlsClient() = default;

void TlsClient::Receive(std::string_view bytes) {
  if (!bytes.empty()) {
    BIO_write(SSL_get_rbio(connection_.get()), bytes.data(), static_cast<int>(bytes.size()));
  }
  GoOn();
}

void TlsClient::GoOn() {
  ERR_clear_error();
  std::array<char, 4096> chunk{};
  for (;;) {
    const int size = SSL_read(connection_.get(), chunk.data(), static_cast<int>(chunk.size()));
    if (size <= 0) {
      const int error = SSL_get_error(connection_.get(), size);
      if (error == SSL_ERROR_ZERO_RETURN) is_told_goodbye = true;
      if (error == SSL_ERROR_SSL) fault = ERR_reason_error_string(ERR_peek_error());
      return;
    }
    heard.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

std::string TlsClient::TakeOutput() {
  // The client speaks first, so the handshake may begin without input.
  if (!is_connected() && fault.empty()) GoOn();
  std::string output;
  std::array<char, 4096> chunk{};
  for (;;) {
    const int size =
        BIO_read(SSL_get_wbio(connection_.get()), chunk.data(), static_cast<int>(chunk.size()));
    if (size <= 0) return output;
    output.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

void TlsClient::Say(std::string_view plaintext) {
  SSL_write(connection_.get(), plaintext.data(), static_cast<int>(plaintext.size()));
}

void TlsClient::SayGoodbye() { SSL_shutdown(connection_.get()); }

void TlsClient::Renegotiate() {
  SSL_renegotiate(connection_.get());
  SSL_do_handshake(connection_.get());
}

void TlsClient::Resume(const TlsClient& other) {
  SSL_set_session(connection_.get(), other.ticket_.get());
}

bool TlsClient::is_connected() const { return SSL_is_init_finished(connection_.get()) == 1; }

bool TlsClient::is_resumed() const { return SSL_session_reused(connection_.get()) == 1; }

std::string TlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(connection_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string TlsClient::version() const { return SSL_get_version(connection_.get()); }

std::string TlsClient::server_names() const {
  X509* certificate = SSL_get0_peer_certificate(connection_.get());
  if (certificate == nullptr) return {};
  const int at = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  BIO* bio = BIO_new(BIO_s_mem());
  X509V3_EXT_print(bio, X509_get_ext(certificate, at), 0, 0);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

}  // namespace sluice
