#include "unit/net/tls/tls_certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace sluice {
namespace {

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return TextOf(bio.get());
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TextOf(bio.get());
}

void Extend(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// Creates an unsigned certificate whose issuer is its own subject.
X509* Begin(const std::string& name, EVP_PKEY* key, const TestAuthority::LeaseRequest& request) {
  X509* made = X509_new();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), request.serial);
  X509_gmtime_adj(X509_getm_notBefore(made), request.good_from.count());
  X509_gmtime_adj(X509_getm_notAfter(made), request.good_until.count());
  if (!request.last_second.empty()) {
    ASN1_TIME_set_string_X509(X509_getm_notAfter(made), request.last_second.c_str());
  }
  X509_set_pubkey(made, key);
  X509_NAME* subject = X509_get_subject_name(made);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(made, subject);
  if (!request.names.empty()) Extend(made, NID_subject_alt_name, request.names);
  return made;
}

X509* BeginAuthority(const std::string& name, EVP_PKEY* key) {
  X509* made = Begin(name, key, {.serial = 7});
  Extend(made, NID_basic_constraints, "critical,CA:TRUE");
  Extend(made, NID_key_usage, "critical,keyCertSign,cRLSign");
  return made;
}

}  // namespace

void TestAuthority::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }
void TestAuthority::Free::operator()(x509_st* certificate) const { X509_free(certificate); }

TestAuthority::TestAuthority(const std::string& name)
    : key_(EVP_EC_gen("P-256")), certificate_(BeginAuthority(name, key_.get())) {
  X509_sign(certificate_.get(), key_.get(), EVP_sha256());
}

TestAuthority::TestAuthority(const std::string& name, const TestAuthority& above)
    : key_(EVP_EC_gen("P-256")), certificate_(BeginAuthority(name, key_.get())) {
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(above.certificate_.get()));
  X509_sign(certificate_.get(), above.key_.get(), EVP_sha256());
}

IssuedCertificate TestAuthority::Issue(const LeaseRequest& request) const {
  const std::unique_ptr<evp_pkey_st, Free> key(EVP_EC_gen("P-256"));
  const std::unique_ptr<x509_st, Free> made(Begin("somebody", key.get(), request));
  X509_set_issuer_name(made.get(), X509_get_subject_name(certificate_.get()));
  X509_sign(made.get(), key_.get(), EVP_sha256());
  return {Pem(made.get()), Pem(key.get())};
}

std::string TestAuthority::certificate() const { return Pem(certificate_.get()); }

std::string TestAuthority::Revoke(const std::vector<int>& serials,
                                  std::chrono::seconds good_until) const {
  X509_CRL* list = X509_CRL_new();
  X509_CRL_set_version(list, X509_CRL_VERSION_2);
  X509_CRL_set_issuer_name(list, X509_get_subject_name(certificate_.get()));
  ASN1_TIME* time = ASN1_TIME_new();
  X509_gmtime_adj(time, -3600);
  X509_CRL_set1_lastUpdate(list, time);
  for (const int serial : serials) {
    X509_REVOKED* revoked = X509_REVOKED_new();
    ASN1_INTEGER* number = ASN1_INTEGER_new();
    ASN1_INTEGER_set(number, serial);
    X509_REVOKED_set_serialNumber(revoked, number);
    X509_REVOKED_set_revocationDate(revoked, time);
    ASN1_INTEGER_free(number);
    X509_CRL_add0_revoked(list, revoked);
  }
  X509_gmtime_adj(time, good_until.count());
  X509_CRL_set1_nextUpdate(list, time);
  ASN1_TIME_free(time);
  X509_CRL_sign(list, key_.get(), EVP_sha256());
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509_CRL(bio.get(), list);
  X509_CRL_free(list);
  return TextOf(bio.get());
}

IssuedCertificate IssueRsa(unsigned bits) {
  EVP_PKEY* key = EVP_RSA_gen(bits);
  X509* made = Begin("rsa", key, {});
  X509_sign(made, key, EVP_sha256());
  IssuedCertificate issued{Pem(made), Pem(key)};
  X509_free(made);
  EVP_PKEY_free(key);
  return issued;
}

std::string UnderPassword(const std::string& key) {
  const Bio reader(BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
  EVP_PKEY* read = PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, nullptr);
  const Bio bio(BIO_new(BIO_s_mem()));
  const unsigned char password[] = "password";
  PEM_write_bio_PrivateKey(bio.get(), read, EVP_aes_128_cbc(), password, 8, nullptr, nullptr);
  EVP_PKEY_free(read);
  return TextOf(bio.get());
}

}  // namespace sluice
