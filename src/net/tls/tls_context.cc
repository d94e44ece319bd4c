#include "net/tls/tls_context.h"

#include <openssl/err.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "net/tls/tls_handles.h"
#include "net/tls/tls_pem.h"
#include "net/tls/tls_session.h"

namespace sluice {
namespace {

// Ciphers for TLS 1.2. All ciphers of TLS 1.3 are authenticated and forward secret.
constexpr char kCiphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

// OpenSSL security level 2: keys at least as strong as RSA with 2048 bits.
constexpr int kSecurityLevel = 2;

// Lifetime of session tickets. A client that resumes a session is not verified again, so its
// certificate may have been expired for this long.
constexpr long kTicketSeconds = 300;

// Maximum size of a client's certificate chain.
constexpr long kMaxClientChainBytes = 64L << 10U;

// ALPN protocols in order of preference, each preceded by its length.
constexpr std::array<unsigned char, 12> kProtocols = {2,   'h', '2', 8,   'h', 't',
                                                      't', 'p', '/', '1', '.', '1'};

constexpr std::array<unsigned char, 6> kSessionContext = {'s', 'l', 'u', 'i', 'c', 'e'};

}  // namespace

struct TlsContext::Callbacks {
  // Selects a protocol by ALPN. Fails the handshake with an alert if the client offers none of
  // ours. OpenSSL does not call this for clients without ALPN.
  // NOLINTNEXTLINE(readability-function-size): the parameters are OpenSSL's.
  static int ChooseProtocol(SSL* /*connection*/, const unsigned char** chosen,
                            unsigned char* chosen_size, const unsigned char* offered,
                            unsigned int offered_size, void* /*data*/) {
    unsigned char* found = nullptr;
    const int outcome = SSL_select_next_proto(&found, chosen_size, kProtocols.data(),
                                              kProtocols.size(), offered, offered_size);
    if (outcome != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
  }

  // Verifies the client's certificate chain, and then that it has one of the allowed names.
  static int Verify(X509_STORE_CTX* verification, void* data) {
    const auto& context = *static_cast<const TlsContext*>(data);
    if (X509_verify_cert(verification) != 1) return 0;
    if (context.client_names_.empty()) return 1;
    const X509* certificate = X509_STORE_CTX_get0_cert(verification);
    if (IsAnyOf(NamesOf(*certificate), context.client_names_)) return 1;
    X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_REJECTED);
    return 0;
  }
};

void TlsContext::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
void TlsContext::Free::operator()(bio_method_st* method) const { BIO_meth_free(method); }

TlsContext::TlsContext(std::vector<TlsName> client_names)
    : client_names_(std::move(client_names)),
      bytes_(TlsSession::MakeByteMethod()),
      context_(SSL_CTX_new(TLS_server_method())) {}

TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::Make(const TlsTexts& texts,
                                                           const TlsOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext(options.client_names));
  if (made->bytes_ == nullptr || made->context_ == nullptr) {
    ERR_clear_error();
    return Error{"OpenSSL cannot be used; its own configuration may be at fault"};
  }
  made->SetUp(options.oldest);
  if (const Result<Done> done = made->UseCertificate(texts); !done.ok()) return done.error();
  if (!texts.client_ca.empty()) {
    const Result<Done> done = made->UseAuthorities(texts.client_ca, options.clients);
    if (!done.ok()) return done.error();
  }
  if (!texts.client_crl.empty()) {
    const Result<Done> done = made->UseRevocations(texts.client_crl);
    if (!done.ok()) return done.error();
  }
  return std::shared_ptr<const TlsContext>(std::move(made));
}

void TlsContext::SetUp(TlsVersion oldest) {
  SSL_CTX* context = context_.get();
  SSL_CTX_set_min_proto_version(context,
                                oldest == TlsVersion::k13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_security_level(context, kSecurityLevel);
  SSL_CTX_set_cipher_list(context, kCiphers);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context, kSessionContext.data(), kSessionContext.size());
  SSL_CTX_set_timeout(context, kTicketSeconds);
  SSL_CTX_set_num_tickets(context, 1);
  SSL_CTX_set_max_cert_list(context, kMaxClientChainBytes);
  SSL_CTX_set_alpn_select_cb(context, Callbacks::ChooseProtocol, nullptr);
}

Result<Done> TlsContext::UseCertificate(const TlsTexts& texts) {
  Result<std::vector<X509Handle>> chain = ReadCertificates(texts.certificate);
  if (!chain.ok()) return Error{Concat("the certificate file ", chain.error().message)};
  const Result<KeyHandle> key = ReadKey(texts.key);
  if (!key.ok()) return Error{Concat("the key file ", key.error().message)};
  X509* own = chain.value().front().get();
  if (X509_check_private_key(own, key.value().get()) != 1) {
    ERR_clear_error();
    return Error{"the key does not belong to the first certificate of the certificate file"};
  }
  bool taken = SSL_CTX_use_certificate(context_.get(), own) == 1 &&
               SSL_CTX_use_PrivateKey(context_.get(), key.value().get()) == 1;
  for (std::size_t i = 1; i < chain.value().size() && taken; ++i) {
    taken = SSL_CTX_add1_chain_cert(context_.get(), chain.value()[i].get()) == 1;
  }
  if (!taken) {
    ERR_clear_error();
    return Error{"a certificate is too weak; expected at least 2048 bits of RSA, or P-256"};
  }
  names_ = NamesOf(*own);
  not_after_ = NotAfter(*own);
  return Done{};
}

Result<Done> TlsContext::UseAuthorities(std::string_view client_ca, ClientCertificates clients) {
  const Result<std::vector<X509Handle>> authorities = ReadCertificates(client_ca);
  if (!authorities.ok()) {
    return Error{Concat("the file of client authorities ", authorities.error().message)};
  }
  X509_STORE* store = SSL_CTX_get_cert_store(context_.get());
  for (const X509Handle& authority : authorities.value()) {
    X509_STORE_add_cert(store, authority.get());
    SSL_CTX_add_client_CA(context_.get(), authority.get());
  }
  // Trusts a configured certificate as an authority even if another authority has signed it.
  // Otherwise the configuration would have to trust everything that the other one signs.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  const bool required = clients == ClientCertificates::kRequired;
  SSL_CTX_set_verify(context_.get(),
                     SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
  SSL_CTX_set_cert_verify_callback(context_.get(), Callbacks::Verify, this);
  return Done{};
}

Result<Done> TlsContext::UseRevocations(std::string_view client_crl) {
  const Result<std::vector<CrlHandle>> lists = ReadRevocations(client_crl);
  if (!lists.ok()) return Error{Concat("the file of revoked clients ", lists.error().message)};
  X509_STORE* store = SSL_CTX_get_cert_store(context_.get());
  for (const CrlHandle& list : lists.value()) X509_STORE_add_crl(store, list.get());
  // A missing or expired list rejects the client, because its certificate may be revoked. Lists of
  // intermediate authorities are checked as well if all configured authorities are roots. If one of
  // them is not, its own issuer's list is unknown here, and only the client's certificate can be
  // checked.
  bool all_are_roots = true;
  const STACK_OF(X509_OBJECT)* known = X509_STORE_get0_objects(store);
  for (int i = 0; i < sk_X509_OBJECT_num(known); ++i) {
    X509* authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(known, i));
    if (authority != nullptr && X509_self_signed(authority, 0) != 1) all_are_roots = false;
  }
  X509_STORE_set_flags(store,
                       X509_V_FLAG_CRL_CHECK | (all_are_roots ? X509_V_FLAG_CRL_CHECK_ALL : 0UL));
  return Done{};
}

}  // namespace sluice
