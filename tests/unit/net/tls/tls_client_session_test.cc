#include "net/tls/tls_client_session.h"

#include <gtest/gtest.h>

#include "unit/net/tls/tls_certificates.h"

namespace sluice {
namespace {

TEST(TlsClientContextTest, RejectsUnusableTexts) {
  const TestAuthority authority("authority");
  const IssuedCertificate one = authority.Issue({.names = "DNS:a.example.org"});
  const IssuedCertificate other = authority.Issue({.names = "DNS:b.example.org"});
  EXPECT_FALSE(TlsClientContext::Make({"nothing", "", ""}).ok());
  EXPECT_FALSE(TlsClientContext::Make({"", one.certificate, ""}).ok());
  EXPECT_FALSE(TlsClientContext::Make({"", one.certificate, other.key}).ok());
  EXPECT_TRUE(TlsClientContext::Make({"", one.certificate, one.key}).ok());
}

TEST(TlsClientSessionTest, SendsClientHelloAndRejectsPlaintext) {
  const auto context = TlsClientContext::Make({}).value();
  TlsClientSession session(context, "redis.example.org");
  EXPECT_EQ(session.state(), TlsClientSession::State::kHandshake);
  ASSERT_FALSE(session.output.empty());
  EXPECT_EQ(session.output[0], 0x16);
  std::string plaintext;
  EXPECT_EQ(session.Receive("-ERR this is no TLS\r\n", plaintext),
            TlsClientSession::State::kFailed);
  EXPECT_EQ(plaintext, "");
  EXPECT_FALSE(session.fault().empty());
}

TEST(TlsClientSessionTest, FailsWithoutAServerName) {
  const TlsClientSession session(TlsClientContext::Make({}).value(), "");
  EXPECT_EQ(session.state(), TlsClientSession::State::kFailed);
  EXPECT_EQ(session.output, "");
}

}  // namespace
}  // namespace sluice
