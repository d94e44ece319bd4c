#include "wire/forwarded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

using Values = std::vector<std::string_view>;

// Trusts 10.x, ::ffff:10.x, fd00::x and "unix". Accepts any text with a dot or two colons as an
// address.
Hop Judge(std::string_view text) {
  for (const char* trusted : {"10.", "::ffff:10.", "fd00::", "unix"}) {
    if (text.starts_with(trusted)) return Hop::kTrusted;
  }
  const bool is_address =
      text.find('.') != std::string_view::npos || std::count(text.begin(), text.end(), ':') >= 2;
  return is_address ? Hop::kStranger : Hop::kNoAddress;
}

std::string ByForwardedFor(std::string_view peer, const Values& values) {
  return std::string(ClientAddress(peer, ForwardedForReader(values), Judge));
}

std::string ByForwarded(std::string_view peer, const Values& values) {
  return std::string(ClientAddress(peer, ForwardedReader(values), Judge));
}

template <typename Reader>
std::string All(const Values& values) {
  std::string all;
  Reader reader(values);
  while (const auto address = reader.Next()) all += std::string(*address) + " ";
  EXPECT_FALSE(reader.Next()) << "reads on after the end";
  return all;
}

TEST(ForwardedTest, BelievesOnlyATrustedPeer) {
  EXPECT_EQ(ByForwardedFor("192.0.2.9", {"203.0.113.5"}), "192.0.2.9");
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {"203.0.113.5"}), "203.0.113.5");
  EXPECT_EQ(ByForwardedFor("unix", {"203.0.113.5"}), "203.0.113.5");
  EXPECT_EQ(ByForwarded("192.0.2.9", {"for=203.0.113.5"}), "192.0.2.9");
  EXPECT_EQ(ByForwarded("10.0.0.1", {"for=203.0.113.5"}), "203.0.113.5");
}

TEST(ForwardedTest, StopsAtTheFirstUntrustedAddressFromTheRight) {
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {"1.1.1.1, 203.0.113.5, 10.0.0.2, 10.0.0.3"}),
            "203.0.113.5");
  EXPECT_EQ(ByForwarded("10.0.0.1", {"for=1.1.1.1, for=203.0.113.5;proto=https, for=10.0.0.2"}),
            "203.0.113.5");
}

TEST(ForwardedTest, ReturnsTheFirstAddressIfAllAreTrusted) {
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {"10.0.0.3, 10.0.0.2"}), "10.0.0.3");
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {}), "10.0.0.1");
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {""}), "10.0.0.1");
}

TEST(ForwardedTest, ReadsRepeatedFieldsAsOne) {
  EXPECT_EQ(All<ForwardedForReader>({"1.1.1.1", "2.2.2.2, 3.3.3.3", "", "4.4.4.4"}),
            "4.4.4.4 3.3.3.3 2.2.2.2 1.1.1.1 ");
  EXPECT_EQ(All<ForwardedReader>({"for=1.1.1.1", "for=2.2.2.2,for=3.3.3.3"}),
            "3.3.3.3 2.2.2.2 1.1.1.1 ");
}

TEST(ForwardedTest, StripsPortsAndBrackets) {
  EXPECT_EQ(All<ForwardedForReader>({"192.0.2.1:8080"}), "192.0.2.1 ");
  EXPECT_EQ(All<ForwardedForReader>({"2001:db8::1"}), "2001:db8::1 ");
  EXPECT_EQ(All<ForwardedForReader>({"[2001:db8::1]"}), "2001:db8::1 ");
  EXPECT_EQ(All<ForwardedForReader>({"[2001:DB8::1]:443"}), "2001:DB8::1 ");
  EXPECT_EQ(All<ForwardedForReader>({"::ffff:192.0.2.1"}), "::ffff:192.0.2.1 ");
  EXPECT_EQ(All<ForwardedForReader>({"[::ffff:192.0.2.1]:80"}), "::ffff:192.0.2.1 ");
  EXPECT_EQ(All<ForwardedReader>({"for=\"[2001:db8::1]:4711\""}), "2001:db8::1 ");
  EXPECT_EQ(All<ForwardedReader>({"FOR=\"[2001:db8::1]\"; proto=http; by=\"_x\""}), "2001:db8::1 ");
  EXPECT_EQ(All<ForwardedReader>({"proto=http;for=\"192.0.2.1:_port\""}), "192.0.2.1 ");
  EXPECT_EQ(All<ForwardedReader>({"for=192.0.2.1:80"}), "192.0.2.1 ");
  EXPECT_EQ(All<ForwardedReader>({"for=[2001:db8::1]"}), "2001:db8::1 ");
}

TEST(ForwardedTest, TrustsMappedAddressesOfTrustedProxies) {
  EXPECT_EQ(ByForwardedFor("::ffff:10.0.0.1", {"203.0.113.5, ::ffff:10.0.0.2"}), "203.0.113.5");
}

TEST(ForwardedTest, SkipsEmptyElements) {
  EXPECT_EQ(All<ForwardedForReader>({" , 1.1.1.1,,\t, 2.2.2.2 , ", ",", " "}), "2.2.2.2 1.1.1.1 ");
}

TEST(ForwardedTest, StopsAtInvalidElementsAndKeepsTheLastValidAddress) {
  for (const char* junk :
       {"unknown",        "_hidden",   "localhost",    "1.1.1.1:",     "1.1.1.1:x",
        "1.1.1.1:123456", "1.1.1.1 2", "[2001:db8::1", "2001:db8::1]", "[2001:db8::1]x",
        "[2001:db8::1]:", "[]",        "[1.1.1.1]",    ":80",          "fe80::1%eth0",
        "\"1.1.1.1\"",    "1.1.1.1;",  "<script>",     "\xC3\xA9",     "-"}) {
    const std::string value = "203.0.113.5, " + std::string(junk) + ", 10.0.0.2";
    EXPECT_EQ(ByForwardedFor("10.0.0.1", {value}), "10.0.0.2") << junk;
    EXPECT_EQ(All<ForwardedForReader>({value}), "10.0.0.2 ") << junk;
    EXPECT_EQ(All<ForwardedForReader>({"203.0.113.5", junk, "10.0.0.2"}), "10.0.0.2 ") << junk;
  }
  // A text of valid characters that is not an address is left for `judge` to reject.
  EXPECT_EQ(ByForwardedFor("10.0.0.1", {"203.0.113.5, face, 10.0.0.2"}), "10.0.0.2");
}

TEST(ForwardedTest, StopsAtMalformedForwardedElements) {
  for (const char* junk :
       {"for=unknown", "for=_hidden", "for=\"_hidden\"", "proto=http", "for",
        "for=", "for=\"1.1.1.1", "for=1.1.1.1\"", "for=\"1.1.1.1\"x", "for=1.1.1.1;for=2.2.2.2",
        "for =1.1.1.1", "for= 1.1.1.1", "1.1.1.1", "=1.1.1.1", "for=1.1.1.1 proto=http",
        "for=\"\\1.1.1.1\"", "for=1.1.1.1;;proto=http", "for=\"[fe80::1%25eth0]\"", ";"}) {
    const std::string value = "for=203.0.113.5, " + std::string(junk) + ", for=10.0.0.2";
    EXPECT_EQ(ByForwarded("10.0.0.1", {value}), "10.0.0.2") << junk;
    EXPECT_EQ(All<ForwardedReader>({"for=203.0.113.5", junk, "for=10.0.0.2"}), "10.0.0.2 ") << junk;
  }
}

TEST(ForwardedTest, DoesNotMistakeAQuotedCommaForTheEndOfAnElement) {
  // Values that a client can inject into a field that its proxy quotes, such as the requested host,
  // whether or not the proxy escapes quotes.
  for (const char* host :
       {"a, for=6.6.6.6", "a, for=6.6.6.6;b=", "a, for=6.6.6.6, b", "a, for=6.6.6.6;b=\\\"c",
        "\\\", for=6.6.6.6, \\\"", ",for=6.6.6.6;b=\\", "a, for=6.6.6.6;b=\\\"\\"}) {
    for (const char* after : {"", ";proto=http", ";proto=\"http\"", ";x=\"\"", ";x=\";\""}) {
      const std::string value = "for=203.0.113.5;host=\"" + std::string(host) + "\"" + after;
      EXPECT_NE(ByForwarded("10.0.0.1", {value}), "6.6.6.6") << value;
    }
  }
  EXPECT_EQ(ByForwarded("10.0.0.1", {"for=\"evil, for=203.0.113.5"}), "203.0.113.5");
}

}  // namespace
}  // namespace sluice
