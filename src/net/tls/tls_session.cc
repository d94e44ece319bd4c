#include "net/tls/tls_session.h"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "net/loop/kept_text.h"
#include "net/tls/tls_handles.h"
#include "net/tls/tls_pem.h"

namespace sluice {
namespace {

// The first byte of every TLS connection: a record of type handshake.
constexpr char kHandshakeRecord = 0x16;

// Maximum plaintext of a TLS record, in bytes.
constexpr std::size_t kRecordBytes = std::size_t{16} << 10U;

constexpr std::string_view kPlainHttp =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
    "Content-Length: 37\r\n\r\nthis port speaks TLS; expected https\n";
constexpr std::string_view kPlainResp = "-ERR this port speaks TLS\r\n";

// Returns the cause of a failed handshake, for logs and metrics.
ConnectionRejection::Cause CauseOf(unsigned long error) {
  const int reason = ERR_GET_REASON(error);
  const bool is_certificate = reason == SSL_R_CERTIFICATE_VERIFY_FAILED ||
                              reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE;
  return is_certificate ? ConnectionRejection::Cause::kClientCertificate
                        : ConnectionRejection::Cause::kHandshake;
}

std::string_view WordsFor(unsigned long error, long verified) {
  if (ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    if (verified == X509_V_ERR_CERT_REJECTED) return "its certificate has no name that is let in";
    return X509_verify_cert_error_string(verified);
  }
  const char* words = ERR_reason_error_string(error);
  return words == nullptr ? "the handshake failed" : words;
}

}  // namespace

struct TlsSession::Bytes {
  static TlsSession& Of(BIO* bio) { return *static_cast<TlsSession*>(BIO_get_data(bio)); }

  static int Read(BIO* bio, char* to, int size) {
    std::string_view& received = Of(bio).received_;
    BIO_clear_retry_flags(bio);
    if (received.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const std::size_t taken = received.copy(to, static_cast<std::size_t>(size));
    received.remove_prefix(taken);
    return static_cast<int>(taken);
  }

  static int Write(BIO* bio, const char* from, int size) {
    BIO_clear_retry_flags(bio);
    Of(bio).output.append(from, static_cast<std::size_t>(size));
    return size;
  }

  static long Control(BIO* /*bio*/, int command, long /*number*/, void* /*data*/) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static int Create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }
};

bio_method_st* TlsSession::MakeByteMethod() {
  std::unique_ptr<BIO_METHOD, FreeTls> method(
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session"));
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method.get(), Bytes::Read);
  BIO_meth_set_write(method.get(), Bytes::Write);
  BIO_meth_set_ctrl(method.get(), Bytes::Control);
  BIO_meth_set_create(method.get(), Bytes::Create);
  return method.release();
}

void TlsSession::Free::operator()(ssl_st* connection) const { SSL_free(connection); }

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, const SessionParts& parts)
    : WrappingSession(parts), context_(std::move(context)), connection_(SSL_new(context_->get())) {
  BioHandle bytes(BIO_new(context_->bytes()));
  if (connection_ == nullptr || bytes == nullptr) {
    Fail();
    return;
  }
  BIO_set_data(bytes.get(), this);
  BIO* const both = bytes.release();
  SSL_set_bio(connection_.get(), both, both);
  SSL_set_accept_state(connection_.get());
}

TlsSession::~TlsSession() = default;

std::size_t TlsSession::Receive(std::string_view unread) {
  if (ended()) return unread.size();
  if (!unread.empty() && !std::exchange(begun_, true) && unread.front() != kHandshakeRecord) {
    RefusePlain(unread.front());
    return unread.size();
  }
  received_ = unread;
  if (!is_in_) handshake_bytes_ += unread.size();
  if (Handshake()) {
    const Read read = Decrypt();
    if (read == Read::kFailed) {
      Fail();
    } else {
      // A paused inner session is called even without new bytes, so that it can go on.
      if (!plaintext_.empty() || paused()) EraseFront(plaintext_, Offer(plaintext_));
      if (plaintext_.empty()) std::string().swap(plaintext_);
      if (read == Read::kEnd && !paused()) ReceiveEnd();
    }
  }
  received_ = {};
  return unread.size();
}

bool TlsSession::Handshake() {
  if (is_in_) return true;
  ERR_clear_error();
  const int outcome = SSL_accept(connection_.get());
  if (outcome != 1) {
    if (SSL_get_error(connection_.get(), outcome) != SSL_ERROR_WANT_READ) Fail();
    return false;
  }
  is_in_ = true;
  handshake_bytes_ = 0;
  const X509* certificate = SSL_get0_peer_certificate(connection_.get());
  if (certificate != nullptr && SSL_get_verify_result(connection_.get()) == X509_V_OK) {
    peer().names = NamesOf(*certificate);
  }
  return true;
}

TlsSession::Read TlsSession::Decrypt() {
  std::array<char, kRecordBytes> record;
  for (;;) {
    ERR_clear_error();
    std::size_t size = 0;
    const int outcome = SSL_read_ex(connection_.get(), record.data(), record.size(), &size);
    if (outcome == 1) {
      plaintext_.append(record.data(), size);
      continue;
    }
    switch (SSL_get_error(connection_.get(), outcome)) {
      case SSL_ERROR_WANT_READ:
        return Read::kMore;
      case SSL_ERROR_ZERO_RETURN:
        return Read::kEnd;
      default:
        return Read::kFailed;
    }
  }
}

void TlsSession::Fail() {
  failed_ = true;
  if (is_in_) {
    End();
  } else {
    // The last error in the queue is the one reported by TLS itself; those before it are from the
    // libraries that it called.
    const unsigned long error = ERR_peek_last_error();
    const long verified = connection_ == nullptr ? 0 : SSL_get_verify_result(connection_.get());
    TurnAway(CauseOf(error), WordsFor(error, verified));
  }
  ERR_clear_error();
}

void TlsSession::RefusePlain(char first) {
  failed_ = true;
  if (first >= 'A' && first <= 'Z') output.append(kPlainHttp);
  if (first == '*') output.append(kPlainResp);
  TurnAway(ConnectionRejection::Cause::kHandshake, "it does not speak TLS");
}

std::unique_ptr<Session> TlsSession::MakeInner(std::string_view bytes) {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(connection_.get(), &name, &size);
  const std::string_view settled(reinterpret_cast<const char*>(name), size);
  if (settled.empty()) return ChooseByBytes(bytes, parts());
  return MakeSession(settled == "h2" ? Protocol::kHttp2 : Protocol::kHttp1, parts());
}

void TlsSession::Wrap(std::string& said) {
  ERR_clear_error();
  std::size_t written = 0;
  const bool is_written = SSL_write_ex(connection_.get(), said.data(), said.size(), &written) == 1;
  std::string().swap(said);
  if (!is_written) Fail();
}

void TlsSession::SayGoodbye() {
  // TLS has no close notification before the handshake is complete.
  if (failed_ || !is_in_) return;
  ERR_clear_error();
  SSL_shutdown(connection_.get());
  ERR_clear_error();
}

Session::Phase TlsSession::phase() const {
  const Phase inner = WrappingSession::phase();
  // Part of a record means that a request is on its way.
  const bool is_half = inner == Phase::kIdle && SSL_has_pending(connection_.get()) == 1;
  return is_half ? Phase::kHead : inner;
}

}  // namespace sluice
