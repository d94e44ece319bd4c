// Certificates for tests, created at run time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

struct evp_pkey_st;
struct x509_st;

namespace sluice {

// A certificate and its key, in PEM.
struct IssuedCertificate {
  std::string certificate;
  std::string key;
};

class TestAuthority {
 public:
  struct LeaseRequest {
    // Such as "DNS:a.example.org,URI:spiffe://example.org/a,IP:192.0.2.1".
    std::string names{};
    // Validity, relative to now.
    std::chrono::seconds good_from = std::chrono::hours(-2);
    std::chrono::seconds good_until = std::chrono::hours(2);
    std::string last_second{};  // overrides good_until, such as "99991231235959Z"
    int serial = 8;
  };

  explicit TestAuthority(const std::string& name);
  // Creates an authority that `above` has signed.
  TestAuthority(const std::string& name, const TestAuthority& above);

  [[nodiscard]] IssuedCertificate Issue(const LeaseRequest& request) const;
  [[nodiscard]] std::string certificate() const;
  // Returns a list that revokes these serials and expires `good_until` from now.
  [[nodiscard]] std::string Revoke(const std::vector<int>& serials,
                                   std::chrono::seconds good_until = std::chrono::hours(2)) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;
    void operator()(x509_st* certificate) const;
  };
  std::unique_ptr<evp_pkey_st, Free> key_;
  std::unique_ptr<x509_st, Free> certificate_;
};

// Returns an RSA key and its self-signed certificate.
IssuedCertificate IssueRsa(unsigned bits);

// Returns the key encrypted with a password.
std::string UnderPassword(const std::string& key);

}  // namespace sluice
