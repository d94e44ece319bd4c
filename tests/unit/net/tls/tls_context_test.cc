#include "net/tls/tls_context.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "unit/net/tls/tls_certificates.h"

namespace sluice {
namespace {

class TlsContextTest : public testing::Test {
 protected:
  static std::string FaultOf(const TlsTexts& texts) {
    const auto made = TlsContext::Make(texts, {});
    return made.ok() ? "none" : made.error().message;
  }

  const TestAuthority authority{"authority"};
  const IssuedCertificate own = authority.Issue({.names = "DNS:Server.example.org,IP:192.0.2.1"});
  const IssuedCertificate other = authority.Issue({.names = "DNS:other"});
};

TEST_F(TlsContextTest, ReportsCertificateNames) {
  const auto made = TlsContext::Make({own.certificate, own.key, {}}, {});
  ASSERT_TRUE(made.ok()) << made.error().message;
  const std::vector<TlsName> wanted = {ParseTlsName("server.example.org"),
                                       ParseTlsName("192.0.2.1")};
  EXPECT_EQ(made.value()->names(), wanted);
}

TEST_F(TlsContextTest, ReportsCertificateExpiry) {
  using namespace std::chrono_literals;
  for (const auto& [text, time] : {std::pair("20301102030405Z", 2030y / 11 / 2),
                                   std::pair("99991231030405Z", 9999y / 12 / 31)}) {
    const IssuedCertificate issued = authority.Issue({.names = "DNS:a", .last_second = text});
    const auto made = TlsContext::Make({issued.certificate, issued.key, {}}, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(made.value()->not_after(), std::chrono::sys_days(time) + 3h + 4min + 5s);
  }
}

TEST_F(TlsContextTest, AcceptsChainAndSeveralAuthorities) {
  EXPECT_EQ(FaultOf({own.certificate + authority.certificate(), own.key,
                     authority.certificate() + TestAuthority("second").certificate()}),
            "none");
}

TEST_F(TlsContextTest, ReportsErrorsWithoutQuotingTheTexts) {
  EXPECT_EQ(FaultOf({"", own.key, {}}), "the certificate file holds no certificate in PEM");
  EXPECT_EQ(FaultOf({own.key, own.key, {}}), "the certificate file holds no certificate in PEM");
  EXPECT_EQ(FaultOf({own.certificate, "", {}}), "the key file holds no private key in PEM");
  EXPECT_EQ(FaultOf({own.certificate, own.certificate, {}}),
            "the key file holds no private key in PEM");
  EXPECT_EQ(FaultOf({own.certificate, UnderPassword(own.key), {}}),
            "the key file holds a private key under a password; expected one without");
  EXPECT_EQ(FaultOf({own.certificate, other.key, {}}),
            "the key does not belong to the first certificate of the certificate file");
  EXPECT_EQ(FaultOf({own.certificate, own.key, "nothing"}),
            "the file of client authorities holds no certificate in PEM");
}

TEST_F(TlsContextTest, RejectsTruncatedCertificates) {
  const std::string half = own.certificate.substr(0, own.certificate.size() / 2);
  const std::string words = "holds a certificate in PEM that cannot be read";
  EXPECT_EQ(FaultOf({half, own.key, {}}), "the certificate file " + words);
  EXPECT_EQ(FaultOf({own.certificate + half, own.key, {}}), "the certificate file " + words);
  EXPECT_EQ(FaultOf({own.certificate, own.key, authority.certificate() + half}),
            "the file of client authorities " + words);
}

TEST_F(TlsContextTest, RejectsWeakKeys) {
  const IssuedCertificate weak = IssueRsa(1024);
  EXPECT_EQ(FaultOf({weak.certificate, weak.key, {}}),
            "a certificate is too weak; expected at least 2048 bits of RSA, or P-256");
  const IssuedCertificate strong = IssueRsa(2048);
  EXPECT_EQ(FaultOf({strong.certificate, strong.key, {}}), "none");
}

TEST_F(TlsContextTest, RejectsTextsWithoutRevocationLists) {
  for (const std::string& text : {std::string("nothing"), authority.certificate()}) {
    EXPECT_EQ(FaultOf({own.certificate, own.key, authority.certificate(), text}),
              "the file of revoked clients holds no revocation list in PEM");
  }
}

}  // namespace
}  // namespace sluice
