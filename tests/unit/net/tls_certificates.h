// Certificates that a test makes for itself.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

struct evp_pkey_st;
struct x509_st;

namespace sluice {

// In PEM.
struct IssuedCertificate {
  std::string certificate;
  std::string key;
};

class TestAuthority {
 public:
  struct Wish {
    std::string names{};  // "DNS:a.example.org,URI:spiffe://example.org/a,IP:192.0.2.1"
    std::chrono::seconds good_from = std::chrono::hours(-2);  // from now
    std::chrono::seconds good_until = std::chrono::hours(2);
    std::string last_second{};  // instead: "99991231235959Z"
    int serial = 8;
  };

  explicit TestAuthority(const std::string& name);
  // One that another has signed.
  TestAuthority(const std::string& name, const TestAuthority& above);

  [[nodiscard]] IssuedCertificate Issue(const Wish& wish) const;
  [[nodiscard]] std::string certificate() const;
  // A list that revokes these, good until then from now.
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

// A key of RSA, and a certificate that it has signed itself.
IssuedCertificate IssueRsa(unsigned bits);

// The same key under a password.
std::string UnderPassword(const std::string& key);

}  // namespace sluice
