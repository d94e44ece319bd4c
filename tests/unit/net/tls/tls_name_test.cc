#include "net/tls/tls_name.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace sluice {
namespace {

using Kind = TlsName::Kind;

bool Covers(std::string_view wanted, std::string_view shown) {
  const std::vector<TlsName> all_wanted = {ParseTlsName(wanted)};
  const std::vector<TlsName> all_shown = {ParseTlsName(shown)};
  return IsAnyOf(all_shown, all_wanted);
}

TEST(TlsNameTest, ParsesAddressesUrisAndDnsNames) {
  EXPECT_EQ(ParseTlsName("Gateway.Example.org"), (TlsName{Kind::kDns, "gateway.example.org"}));
  EXPECT_EQ(ParseTlsName("spiffe://Example.org/A"),
            (TlsName{Kind::kUri, "spiffe://Example.org/A"}));
  EXPECT_EQ(ParseTlsName("urn:Uuid:1"), (TlsName{Kind::kUri, "urn:Uuid:1"}));
  EXPECT_EQ(ParseTlsName("192.0.2.1"), (TlsName{Kind::kIp, "192.0.2.1"}));
  EXPECT_EQ(ParseTlsName("2001:DB8:0::1"), (TlsName{Kind::kIp, "2001:db8::1"}));
}

TEST(TlsNameTest, ComparesWholeNames) {
  EXPECT_TRUE(Covers("a.example.org", "A.example.org"));
  EXPECT_TRUE(Covers("spiffe://example.org/a", "spiffe://example.org/a"));
  EXPECT_TRUE(Covers("2001:db8::1", "2001:0db8::0001"));
  EXPECT_FALSE(Covers("example.org", "a.example.org"));
  EXPECT_FALSE(Covers("a.example.org", "a.example.org.evil"));
  EXPECT_FALSE(Covers("spiffe://example.org/a", "spiffe://example.org/A"));
  EXPECT_FALSE(Covers("spiffe://example.org/a", "spiffe://example.org/a/b"));
  EXPECT_FALSE(Covers("192.0.2.1", "192.0.2.10"));
}

TEST(TlsNameTest, MatchesOneLabelByWildcard) {
  EXPECT_TRUE(Covers("*.example.org", "a.example.org"));
  EXPECT_FALSE(Covers("*.example.org", "example.org"));
  EXPECT_FALSE(Covers("*.example.org", "a.b.example.org"));
  EXPECT_FALSE(Covers("*.example.org", ".example.org"));
  EXPECT_FALSE(Covers("*.example.org", "a.example.com"));
  EXPECT_FALSE(Covers("*.0.2.1", "192.0.2.1"));
}

TEST(TlsNameTest, NeverMatchesNamesOfDifferentKinds) {
  const std::vector<TlsName> wanted = {{Kind::kIp, "192.0.2.1"}, {Kind::kUri, "urn:a"}};
  const std::vector<TlsName> shown = {{Kind::kDns, "192.0.2.1"}, {Kind::kDns, "urn:a"}};
  EXPECT_FALSE(IsAnyOf(shown, wanted));
}

TEST(TlsNameTest, MatchesAnyOfSeveralNames) {
  const std::vector<TlsName> wanted = {ParseTlsName("a"), ParseTlsName("*.example.org")};
  const std::vector<TlsName> shown = {ParseTlsName("b"), ParseTlsName("c.example.org")};
  EXPECT_TRUE(IsAnyOf(shown, wanted));
  EXPECT_FALSE(IsAnyOf({}, wanted));
  EXPECT_FALSE(IsAnyOf(shown, {}));
}

}  // namespace
}  // namespace sluice
