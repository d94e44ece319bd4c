#include "config/settings/store_url.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace sluice {
namespace {

using Kind = StoreUrl::Kind;

StoreUrl Parse(const std::string& text) {
  Result<StoreUrl> url = ParseStoreUrl(text);
  EXPECT_TRUE(url.ok()) << text << ": " << url.error().message;
  return url.ok() ? std::move(url).value() : StoreUrl();
}

std::string ErrorOf(const std::string& text) {
  const Result<StoreUrl> url = ParseStoreUrl(text);
  return url.ok() ? "read as " + FormatStoreUrl(url.value()) : url.error().message;
}

TEST(StoreUrlTest, FormatsEveryKindWithoutItsPassword) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"memory", "memory"},
      {"redis://cache", "redis://cache:6379/0"},
      {"redis://cache:6380/3", "redis://cache:6380/3"},
      {"redis://:hunter2@cache", "redis://:(secret)@cache:6379/0"},
      {"redis://app:hunter2@[::1]:1/2", "redis://app:(secret)@[::1]:1/2"},
      {"redis://app@cache", "redis://app@cache:6379/0"},
      {"redis://a%3Ab:p%40ss@cache/", "redis://a%3Ab:(secret)@cache:6379/0"},
      {"rediss://cache", "rediss://cache:6379/0"},
      {"redis://cache?tls=true", "rediss://cache:6379/0"},
      {"redis://cache?tls=false", "redis://cache:6379/0"},
      {"rediss://cache/1?ca=/etc/ca.pem&certificate=/c.pem&key=/k.pem&server_name=r.example.org",
       "rediss://cache:6379/1?ca=/etc/ca.pem&certificate=/c.pem&key=/k.pem"
       "&server_name=r.example.org"},
      {"redis+unix:///run/redis.sock", "redis+unix:///run/redis.sock?database=0"},
      {"redis+unix://app:hunter2@/run/a%20b?database=3",
       "redis+unix://app:(secret)@/run/a%20b?database=3"},
      {"redis+sentinel://a,b:1,c/main", "redis+sentinel://a:26379,b:1,c:26379/main/0"},
      {"redis+sentinel://:pw@a/main/4?tls=true",
       "redis+sentinel://:(secret)@a:26379/main/4?tls=true"},
      {"redis+cluster://a,b:7001", "redis+cluster://a:6379,b:7001"},
      {"redis+cluster://u:p@a/?ca=/x%20y&tls=true",
       "redis+cluster://u:(secret)@a:6379?tls=true&ca=/x%20y"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(FormatStoreUrl(Parse(text)), expected) << text;
  }
}

TEST(StoreUrlTest, ParsesEveryPart) {
  const StoreUrl url = Parse("redis+sentinel://us%65r:p%2Fw@a:1,b/my%20main/7?tls=true&ca=%2Fca");
  EXPECT_EQ(url.kind, Kind::kSentinel);
  ASSERT_EQ(url.hosts.size(), 2U);
  EXPECT_EQ(url.hosts[0], (TcpAddress{"a", std::nullopt, 1}));
  EXPECT_EQ(url.hosts[1], (TcpAddress{"b", std::nullopt, 26379}));
  EXPECT_EQ(url.user, "user");
  ASSERT_TRUE(url.password.has_value());
  EXPECT_EQ(url.password->Reveal(), "p/w");
  EXPECT_EQ(url.primary, "my main");
  EXPECT_EQ(url.database, 7);
  ASSERT_TRUE(url.tls.has_value());
  EXPECT_EQ(url.tls->ca, "/ca");
  const StoreUrl socket = Parse("redis+unix://:pw@/run/a%40b?database=2");
  EXPECT_EQ(socket.kind, Kind::kRedis);
  EXPECT_TRUE(socket.hosts.empty());
  EXPECT_EQ(socket.socket, "/run/a@b");
  EXPECT_EQ(socket.database, 2);
  EXPECT_EQ(Parse("redis://cache").password, std::nullopt);
  EXPECT_EQ(Parse("redis://u:@cache").password, Secret());
  EXPECT_EQ(Parse("redis://cache").tls, std::nullopt);
}

TEST(StoreUrlTest, ParsesFormattedUrlsBackToTheSameValue) {
  std::string all_bytes;
  for (int byte = 1; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  std::vector<std::string> texts = {all_bytes, "%2F", "a/b", "a@b:c?d#e&f=g"};
  for (const char byte : all_bytes) texts.push_back({byte});
  for (const std::string& text : texts) {
    StoreUrl url = Parse("redis+sentinel://:(secret)@a:1,b:2/main/7?tls=true");
    url.user = text;
    url.primary = text;
    url.tls = StoreUrl::Tls{text, text, text, text};
    EXPECT_EQ(Parse(FormatStoreUrl(url)), url) << FormatStoreUrl(url);
    url.kind = Kind::kRedis;
    url.hosts.pop_back();
    url.primary.clear();
    EXPECT_EQ(Parse(FormatStoreUrl(url)), url) << FormatStoreUrl(url);
    url.password.reset();
    url.tls.reset();
    EXPECT_EQ(Parse(FormatStoreUrl(url)), url) << FormatStoreUrl(url);
    url.hosts.clear();
    url.socket = Concat("/", text.substr(0, kMaxUnixPathBytes - 1));
    EXPECT_EQ(Parse(FormatStoreUrl(url)), url) << FormatStoreUrl(url);
  }
}

TEST(StoreUrlTest, RejectsInvalidUrls) {
  const std::string expected_stores =
      "expected memory, redis://, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://";
  const std::string expected_path =
      "a redis+unix:// store needs the path of its socket, of at most 107 bytes, after the "
      "slashes: "
      "redis+unix:///PATH, or redis+unix://:PASSWORD@/PATH";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the store is no URL; " + expected_stores},
      {"Memory", "the store is no URL; " + expected_stores},
      {"cache:6379", "the store is no URL; " + expected_stores},
      {"http://cache", "unknown kind of store; " + expected_stores},
      {"redis://",
       "the URL of a store needs a host after the slashes: redis://HOST:PORT, or "
       "redis://:PASSWORD@HOST:PORT"},
      {"redis://u:p@", "in the URL of a store: '' needs a host"},
      {"redis://u:p@cache:x",
       "in the URL of a store: the port of 'cache:x' must be a number from 1 to 65535"},
      {"redis://a,b",
       "a redis:// store has one host, found 2; several are for redis+sentinel:// and "
       "redis+cluster://"},
      {"redis://cache/x",
       "the database of a store, after its host, must be a number from 0 to 65535"},
      {"redis://cache/65536",
       "the database of a store, after its host, must be a number from 0 to 65535"},
      {"redis://cache/0/1",
       "the database of a store, after its host, must be a number from 0 to 65535"},
      {"redis://cache#x", "the URL of a store has no '#' part"},
      {"redis+unix://cache/run/s", expected_path},
      {"redis+unix://", expected_path},
      {"redis+unix:///", expected_path},
      {"redis+unix:///" + std::string(kMaxUnixPathBytes, 'x'), expected_path},
      {"redis+unix:///s?database=x", "the database of a store must be a number from 0 to 65535"},
      {"redis+unix:///s?tls=true", "a redis+unix:// store has one parameter: ?database=NUMBER"},
      {"redis+sentinel://a,b",
       "a redis+sentinel:// store needs the name of its primary: HOST,HOST/PRIMARY"},
      {"redis+sentinel://a/main/x",
       "the database of a store, after its host, must be a number from 0 to 65535"},
      {"redis+cluster://a/0",
       "a redis+cluster:// store has no path after its hosts; a cluster has database 0 alone"},
      {"sluice://a", "unknown kind of store; " + expected_stores},
      {"redis://cache?tsl=true", "unknown parameter of a store; did you mean 'tls'?"},
      {"redis://cache?tls", "the parameter 'tls' needs a value"},
      {"redis://cache?tls=yes", "'tls' must be true or false"},
      {"rediss://cache?tls=false", "'tls' must be true for rediss://"},
      {"redis://cache?ca=/a", "the parameter 'ca' needs TLS: rediss:// or ?tls=true"},
      {"redis+cluster://a?ca=/a", "the parameter 'ca' needs TLS: ?tls=true"},
      {"rediss://cache?ca=/a&ca=/b", "the parameter 'ca' is given twice"},
      {"redis://cache?tls=true&tls=false", "the parameter 'tls' is given twice"},
      {"redis://cache?tls=false&tls=true", "the parameter 'tls' is given twice"},
      {"rediss://cache?tls=true&tls=true", "the parameter 'tls' is given twice"},
      {"rediss://cache?certificate=/a", "the parameter 'certificate' needs 'key', too"},
      {"rediss://cache?key=/a", "the parameter 'key' needs 'certificate', too"},
      {"rediss://cache?ca=%2",
       "a parameter of a store has a '%' that is not followed by two hexadecimal digits"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(ErrorOf(text), expected) << text;
}

TEST(StoreUrlTest, NeverShowsPasswordsInErrors) {
  for (const char* text : {"redis://u:hunter2",
                           "redis://:hunter2",
                           "redis://hunter2:x",
                           "redis://u:hunter2/x@cache",
                           "redis://u:hunter2?x@cache",
                           "redis://u:hunter2#x@cache",
                           "redis://u:x@hunter2@cache",
                           "redis://u:hunter2%zz@cache",
                           "redis://hunter2%@cache",
                           "hunter2",
                           "redis://hunter2,b:c",
                           "redis+sentinel://hunter2:pw",
                           "redis+cluster://c/hunter2",
                           "redis://u:1/hunter2",
                           "redis+cluster://u:1/hunter2",
                           "redis+sentinel://u:1/a/hunter2",
                           "redis://u:1?hunter2",
                           "redis://u:1?tls=hunter2",
                           "redis+unix://:hunter2",
                           "redis+unix://:hunter2/s",
                           "redis+unix:///s?hunter2",
                           "redis+unix:///s?database=hunter2",
                           "hunter2://c"}) {
    const std::string error = ErrorOf(text);
    EXPECT_EQ(error.find("hunter2"), std::string::npos) << text << ": " << error;
    EXPECT_EQ(error.find("read as"), std::string::npos) << text << ": " << error;
  }
}

TEST(SecretTest, WritesPlaceholderInsteadOfText) {
  const Secret secret("hunter2");
  EXPECT_EQ(Concat("token ", secret, "."), "token (secret).");
  std::ostringstream out;
  out << secret;
  EXPECT_EQ(out.str(), "(secret)");
  EXPECT_EQ(::testing::PrintToString(secret), "(secret)");
  EXPECT_EQ(secret.Reveal(), "hunter2");
}

}  // namespace
}  // namespace sluice
