#include "net/tls/tls_pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>

#include "net/loop/ip_text.h"

namespace sluice {
namespace {

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

BioHandle Reader(std::string_view text) {
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Replaces OpenSSL's password prompt at the terminal: fails, and records that it was called.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return -1;
}

std::string_view BytesOf(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

bool IsPlain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

Result<std::vector<X509Handle>> ReadCertificates(std::string_view pem) {
  const BioHandle reader = Reader(pem);
  std::vector<X509Handle> all;
  bool was_asked = false;
  ERR_clear_error();
  while (X509* one = PEM_read_bio_X509(reader.get(), nullptr, NoPassword, &was_asked)) {
    all.emplace_back(one);
  }
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!ended) return Error{"holds a certificate in PEM that cannot be read"};
  if (all.empty()) return Error{"holds no certificate in PEM"};
  return all;
}

Result<std::vector<CrlHandle>> ReadRevocations(std::string_view pem) {
  const BioHandle reader = Reader(pem);
  std::vector<CrlHandle> all;
  bool was_asked = false;
  ERR_clear_error();
  while (X509_CRL* one = PEM_read_bio_X509_CRL(reader.get(), nullptr, NoPassword, &was_asked)) {
    all.emplace_back(one);
  }
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!ended) return Error{"holds a revocation list in PEM that cannot be read"};
  if (all.empty()) return Error{"holds no revocation list in PEM"};
  return all;
}

Result<KeyHandle> ReadKey(std::string_view pem) {
  const BioHandle reader = Reader(pem);
  bool was_asked = false;
  KeyHandle key(PEM_read_bio_PrivateKey(reader.get(), nullptr, NoPassword, &was_asked));
  ERR_clear_error();
  if (key != nullptr) return key;
  return Error{was_asked ? "holds a private key under a password; expected one without"
                         : "holds no private key in PEM"};
}

std::vector<TlsName> NamesOf(const X509& certificate) {
  std::vector<TlsName> found;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  if (names == nullptr) return found;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    int kind = 0;
    const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind);
    if (kind != GEN_DNS && kind != GEN_URI && kind != GEN_IPADD) continue;
    const std::string_view bytes = BytesOf(static_cast<const ASN1_STRING*>(value));
    if (kind == GEN_IPADD) {
      std::string text = IpText(bytes);
      if (!text.empty()) found.push_back({TlsName::Kind::kIp, std::move(text)});
    } else if (IsPlain(bytes)) {
      if (kind == GEN_URI) {
        found.push_back({TlsName::Kind::kUri, std::string(bytes)});
      } else if (bytes.find('*') == std::string_view::npos) {
        found.push_back(MakeDnsName(bytes));
      }
    }
  }
  return found;
}

std::chrono::sys_seconds NotAfter(const X509& certificate) {
  std::tm parts{};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &parts);
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
}

}  // namespace sluice
