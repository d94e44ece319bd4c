#include "config/settings/address.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

Address Parse(const std::string& text) {
  Result<Address> address = ParseAddress(text);
  EXPECT_TRUE(address.ok()) << text << ": " << address.error().message;
  return address.ok() ? std::move(address).value() : Address();
}

std::string ErrorOf(const std::string& text) {
  const Result<Address> address = ParseAddress(text);
  return address.ok() ? "read as " + FormatAddress(address.value()) : address.error().message;
}

TEST(AddressTest, ParsesAndFormatsAddressesInCanonicalForm) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"127.0.0.1:8080", "127.0.0.1:8080"},
      {"0.0.0.0:0", "0.0.0.0:0"},
      {"[::1]:8080", "[::1]:8080"},
      {"[2001:DB8:0::1]:65535", "[2001:db8::1]:65535"},
      {"[::ffff:10.0.0.1]:80", "10.0.0.1:80"},
      {"localhost:1", "localhost:1"},
      {"Redis_1.Example.ORG:6379", "redis_1.example.org:6379"},
      {"3com.net:80", "3com.net:80"},
      {"unix:/run/sluice.sock", "unix:/run/sluice.sock"},
      {"unix:sluice.sock", "unix:sluice.sock"},
      {"unix:/a:b", "unix:/a:b"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(FormatAddress(Parse(text)), expected) << text;
    EXPECT_EQ(FormatAddress(Parse(expected)), expected) << text;
  }
}

TEST(AddressTest, DistinguishesIpAddressesFromHostNames) {
  EXPECT_EQ(std::get<TcpAddress>(Parse("10.0.0.1:80")).ip, ParseIpAddress("10.0.0.1"));
  EXPECT_EQ(std::get<TcpAddress>(Parse("[::1]:80")).ip, ParseIpAddress("::1"));
  EXPECT_EQ(std::get<TcpAddress>(Parse("example.org:80")).ip, std::nullopt);
}

TEST(AddressTest, RejectsMalformedAddresses) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "'' needs a port; expected HOST:PORT or unix:PATH"},
      {"8080", "'8080' needs a host; expected HOST:PORT or unix:PATH, for example 127.0.0.1:8080"},
      {"[::1]", "'[::1]' needs a port; expected HOST:PORT or unix:PATH"},
      {":8080", "':8080' needs a host; 0.0.0.0 or [::] stands for all addresses of this machine"},
      {"::1:8080",
       "'::1:8080' has more than one ':'; an IPv6 address stands in brackets, as in [::1]:8080"},
      {"fe80:1:8080",
       "'fe80:1:8080' has more than one ':'; an IPv6 address stands in brackets, as in "
       "[::1]:8080"},
      {"[::1", "'[::1' is no address; expected one such as [::1]:8080"},
      {"[::1]8080", "'[::1]8080' is no address; expected one such as [::1]:8080"},
      {"[::g]:80", "the host of '[::g]:80' is neither an IP address nor a name"},
      {"[127.0.0.1]:80", "the host of '[127.0.0.1]:80' is neither an IP address nor a name"},
      {"256.0.0.1:80", "the host of '256.0.0.1:80' is neither an IP address nor a name"},
      {"1.2.3:80", "the host of '1.2.3:80' is neither an IP address nor a name"},
      {"a b:80", "the host of 'a b:80' is neither an IP address nor a name"},
      {"-a:80", "the host of '-a:80' is neither an IP address nor a name"},
      {"a..b:80", "the host of 'a..b:80' is neither an IP address nor a name"},
      {"a:", "the port of 'a:' must be a number from 0 to 65535"},
      {"a:65536", "the port of 'a:65536' must be a number from 0 to 65535"},
      {"a:-1", "the port of 'a:-1' must be a number from 0 to 65535"},
      {"a:080", "the port of 'a:080' must be a number from 0 to 65535"},
      {"a:http", "the port of 'a:http' must be a number from 0 to 65535"},
      {"http://a:80", "'http://a:80' is a URL; expected HOST:PORT or unix:PATH"},
      {"unix:", "'unix:' needs a path, as in unix:/run/sluice.sock"},
      {"unix:@sluice",
       "the Unix socket '@sluice' must be a path; abstract sockets are open to everyone"},
      {"unix:/" + std::string(107, 'a'),
       "the path of a Unix socket must have at most 107 bytes, found 108"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ErrorOf(text), expected) << text;
  EXPECT_EQ(ErrorOf("unix:/" + std::string(106, 'a')), "read as unix:/" + std::string(106, 'a'));
}

TEST(AddressTest, UsesDefaultPortForHostWithoutPort) {
  EXPECT_EQ(ParseHost("redis", 6379).value(), (TcpAddress{"redis", std::nullopt, 6379}));
  EXPECT_EQ(ParseHost("redis:1", 6379).value().port, 1);
  EXPECT_EQ(ParseHost("[::1]", 6379).value().host, "::1");
  EXPECT_EQ(ParseHost("redis:0", 6379).error().message,
            "the port of 'redis:0' must be a number from 1 to 65535");
  EXPECT_EQ(ParseHost("", 6379).error().message, "'' needs a host");
}

TEST(AddressTest, TreatsLoopbackAndUnixSocketsAsLocal) {
  for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/a",
                           "[::ffff:127.0.0.1]:1"}) {
    EXPECT_TRUE(IsLocal(Parse(text))) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1", "[::2]:1",
                           "example.org:1", "localhost.example.org:1"}) {
    EXPECT_FALSE(IsLocal(Parse(text))) << text;
  }
}

TEST(AddressTest, DetectsClashingAddresses) {
  const auto clash = [](const std::string& one, const std::string& other) {
    const bool there = Clash(Parse(one), Parse(other));
    EXPECT_EQ(there, Clash(Parse(other), Parse(one))) << one << " " << other;
    return there;
  };
  EXPECT_TRUE(clash("127.0.0.1:80", "127.0.0.1:80"));
  EXPECT_TRUE(clash("0.0.0.0:80", "127.0.0.1:80"));
  EXPECT_TRUE(clash("[::]:80", "127.0.0.1:80"));
  EXPECT_TRUE(clash("[::]:80", "localhost:80"));
  EXPECT_TRUE(clash("0.0.0.0:80", "localhost:80"));
  EXPECT_TRUE(clash("unix:/a", "unix:/a"));
  EXPECT_FALSE(clash("0.0.0.0:80", "[::1]:80"));
  EXPECT_FALSE(clash("127.0.0.1:80", "127.0.0.1:81"));
  EXPECT_FALSE(clash("127.0.0.1:80", "127.0.0.2:80"));
  EXPECT_FALSE(clash("127.0.0.1:0", "127.0.0.1:0"));
  EXPECT_FALSE(clash("unix:/a", "unix:/b"));
  EXPECT_FALSE(clash("unix:/a", "127.0.0.1:80"));
}

}  // namespace
}  // namespace sluice
