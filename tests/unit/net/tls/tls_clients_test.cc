// TlsSession with client certificates.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/net/tls/tls_certificates.h"
#include "unit/net/tls/tls_pair.h"

namespace sluice {
namespace {

using Cause = ConnectionRejection::Cause;
using std::chrono::hours;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class TlsClientsTest : public testing::Test {
 protected:
  std::shared_ptr<TlsSource> Listening(const TlsOptions& options) {
    return MakeTlsSource({own.certificate, own.key, authority.certificate(), revoked}, options);
  }

  // Returns the reply to a client with this certificate; empty if it is rejected.
  std::string AskWith(const IssuedCertificate& shown, const TlsOptions& options) {
    heard.clear();
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      pair = std::make_unique<TlsPair>(Listening(options),
                                       TlsClient::Options{.own = shown, .version = version});
      heard.push_back(pair->Ask(kGet));
      EXPECT_EQ(heard.front(), heard.back()) << "whatever the version";
    }
    return heard.back();
  }

  void ExpectRefused(const IssuedCertificate& shown, const TlsOptions& options,
                     std::string_view why, std::string_view alert) {
    EXPECT_EQ(AskWith(shown, options), "");
    EXPECT_TRUE(pair->server.ended());
    EXPECT_TRUE(pair->server.service->seen.empty());
    EXPECT_EQ(pair->client.alert, alert);
    ASSERT_EQ(pair->server.turned_away.size(), 1U);
    EXPECT_EQ(pair->server.turned_away[0].cause, Cause::kClientCertificate);
    EXPECT_EQ(pair->server.turned_away[0].address, "192.0.2.9");
    EXPECT_EQ(pair->server.turned_away[0].why, why);
  }

  void ExpectLetIn(const IssuedCertificate& shown, const TlsOptions& options) {
    EXPECT_TRUE(AskWith(shown, options).ends_with("hello"));
  }

  static TlsOptions Wanting(std::string_view name) {
    return {.client_names = {ParseTlsName("nobody.example.org"), ParseTlsName(name)}};
  }

  const TestAuthority authority{"authority"};
  const IssuedCertificate own = authority.Issue({.names = "DNS:server"});
  const IssuedCertificate good = authority.Issue(
      {.names = "DNS:Gate.example.org,URI:spiffe://example.org/gate,IP:2001:db8::1"});
  std::string revoked;  // revocation lists in PEM
  std::vector<std::string> heard;
  std::unique_ptr<TlsPair> pair;
};

TEST_F(TlsClientsTest, TakesPeerNamesFromTheCertificate) {
  ExpectLetIn(good, {});
  ASSERT_EQ(pair->server.service->seen.size(), 1U);
  const std::vector<TlsName> wanted = {ParseTlsName("gate.example.org"),
                                       ParseTlsName("spiffe://example.org/gate"),
                                       ParseTlsName("2001:db8::1")};
  EXPECT_EQ(pair->server.service->seen[0].peer.names, wanted);
}

TEST_F(TlsClientsTest, RejectsClientsWithoutARequiredCertificate) {
  ExpectRefused({}, {}, "peer did not return a certificate", "certificate required");
}

TEST_F(TlsClientsTest, AcceptsClientsWithoutAnOptionalCertificate) {
  const TlsOptions options{.clients = ClientCertificates::kOptional};
  ExpectLetIn({}, options);
  EXPECT_TRUE(pair->server.service->seen[0].peer.names.empty());
  ExpectLetIn(good, options);
  EXPECT_EQ(pair->server.service->seen[0].peer.names.size(), 3U);
}

TEST_F(TlsClientsTest, RejectsInvalidOptionalCertificates) {
  const IssuedCertificate stranger = TestAuthority("stranger").Issue({.names = "DNS:a"});
  ExpectRefused(stranger, {.clients = ClientCertificates::kOptional},
                "unable to get local issuer certificate", "unknown CA");
}

TEST_F(TlsClientsTest, RejectsCertificatesOfOtherAuthorities) {
  // An authority with an equal name, but another key.
  const IssuedCertificate forged = TestAuthority("authority").Issue({.names = "DNS:a"});
  ExpectRefused(forged, {}, "certificate signature failure", "decrypt error");
}

TEST_F(TlsClientsTest, RejectsExpiredAndFutureCertificates) {
  ExpectRefused(authority.Issue({.names = "DNS:a", .good_until = hours(-1)}), {},
                "certificate has expired", "certificate expired");
  ExpectRefused(authority.Issue({.names = "DNS:a", .good_from = hours(1)}), {},
                "certificate is not yet valid", "bad certificate");
}

TEST_F(TlsClientsTest, RequiresAnAllowedName) {
  for (const std::string_view name :
       {"gate.example.org", "*.example.org", "spiffe://example.org/gate", "2001:db8::1"}) {
    ExpectLetIn(good, Wanting(name));
  }
  for (const std::string_view name :
       {"example.org", "*.gate.example.org", "spiffe://example.org/gates", "2001:db8::2"}) {
    ExpectRefused(good, Wanting(name), "its certificate has no name that is let in",
                  "bad certificate");
  }
}

TEST_F(TlsClientsTest, RejectsNamelessCertificatesIfNamesAreRequired) {
  const IssuedCertificate nameless = authority.Issue({});
  ExpectLetIn(nameless, {});
  ExpectRefused(nameless, Wanting("somebody"), "its certificate has no name that is let in",
                "bad certificate");
}

TEST_F(TlsClientsTest, IgnoresWildcardNamesInCertificates) {
  const IssuedCertificate wild = authority.Issue({.names = "DNS:*.example.org"});
  ExpectRefused(wild, Wanting("*.example.org"), "its certificate has no name that is let in",
                "bad certificate");
  ExpectLetIn(wild, {});
  EXPECT_TRUE(pair->server.service->seen[0].peer.names.empty());
}

TEST_F(TlsClientsTest, TrustsIntermediateAuthorities) {
  const TestAuthority team("team", authority);
  const IssuedCertificate member = team.Issue({.names = "DNS:member"});
  const auto tls = MakeTlsSource({own.certificate, own.key, team.certificate()}, {});
  TlsPair ours(tls, {.own = member});
  EXPECT_TRUE(ours.Ask(kGet).ends_with("hello"));
  TlsPair others(tls, {.own = good});
  EXPECT_EQ(others.Ask(kGet), "");
}

TEST_F(TlsClientsTest, KeepsNamesOfResumedSessions) {
  const auto tls = Listening(Wanting("gate.example.org"));
  TlsPair first(tls, {.own = good});
  EXPECT_TRUE(first.Ask(kGet).ends_with("hello"));
  TlsPair second(tls, {});
  second.client.Resume(first.client);
  EXPECT_TRUE(second.Ask(kGet).ends_with("hello"));
  EXPECT_TRUE(second.client.is_resumed());
  EXPECT_EQ(second.server.service->seen[0].peer.names.size(), 3U);
}

TEST_F(TlsClientsTest, RejectsRevokedCertificates) {
  const IssuedCertificate lost = authority.Issue({.names = "DNS:lost", .serial = 9});
  ExpectLetIn(lost, {});
  revoked = authority.Revoke({9});
  ExpectRefused(lost, {}, "certificate revoked", "certificate revoked");
  ExpectLetIn(good, {});
}

TEST_F(TlsClientsTest, RejectsCertificatesWithoutAValidRevocationList) {
  revoked = TestAuthority("another").Revoke({9});
  ExpectRefused(good, {}, "unable to get certificate CRL", "unknown CA");
  revoked = authority.Revoke({9}, hours(-1) + std::chrono::minutes(30));
  ExpectRefused(good, {}, "CRL has expired", "certificate expired");
  // Lists of several authorities may be given together.
  revoked = TestAuthority("another").Revoke({9}) + authority.Revoke({});
  ExpectLetIn(good, {});
}

TEST_F(TlsClientsTest, RejectsClientsOfARevokedAuthority) {
  const TestAuthority team("team", authority);
  IssuedCertificate member = team.Issue({.names = "DNS:member"});
  member.certificate += team.certificate();
  ExpectLetIn(member, {});
  revoked = authority.Revoke({}) + team.Revoke({});
  ExpectLetIn(member, {});
  revoked = authority.Revoke({7}) + team.Revoke({});
  ExpectRefused(member, {}, "certificate revoked", "certificate revoked");
}

TEST_F(TlsClientsTest, ChecksRevocationBelowIntermediateAuthorities) {
  const TestAuthority team("team", authority);
  const IssuedCertificate member = team.Issue({.names = "DNS:member"});
  const IssuedCertificate lost = team.Issue({.names = "DNS:lost", .serial = 9});
  const auto tls =
      MakeTlsSource({own.certificate, own.key, team.certificate(), team.Revoke({9})}, {});
  EXPECT_TRUE(TlsPair(tls, {.own = member}).Ask(kGet).ends_with("hello"));
  EXPECT_EQ(TlsPair(tls, {.own = lost}).Ask(kGet), "");
}

}  // namespace
}  // namespace sluice
