#include "server/redis_connector.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "unit/net/tls/tls_certificates.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/loop_until.h"

namespace sluice::cli {
namespace {

using testing::RedisProcess;
using Cause = RedisAnswer::Cause;

StoreUrl UrlOf(const std::string& text) {
  Result<StoreUrl> url = ParseStoreUrl(text);
  EXPECT_TRUE(url.ok()) << url.error().message;
  return url.ok() ? std::move(url).value() : StoreUrl();
}

class RedisConnectorTest : public ::testing::Test {
 protected:
  // Sends a command as soon as the client accepts it, again if no server was reached, and returns
  // the answer.
  std::string Ask(const std::string& url, std::initializer_list<std::string_view> words) {
    const Result<RedisConnector> store = RedisConnector::Make(UrlOf(url), kDeadline);
    if (!store.ok()) return store.error().message;
    HeardAnswers heard;
    RedisCommand& command = heard.Make("a", words);
    const std::unique_ptr<RedisClient> client =
        store.value().Connect(RedisParts{{loop_, clock_}, names_, counts_, jitter_});
    bool is_sent = false;
    const bool is_heard = LoopUntil(loop_, [&] {
      if (!heard.heard.empty() && heard.heard.back() == "a: not sent not_connected") {
        heard.heard.clear();
        is_sent = false;
      }
      if (!is_sent) is_sent = client->Send(command, heard) == Cause::kNone;
      return !heard.heard.empty();
    });
    return is_heard ? heard.heard.front() : "silence";
  }

  static constexpr std::chrono::seconds kDeadline{10};

  EventLoop loop_;
  testing::FakeClock clock_;  // never advances, so that no timeout applies to the servers
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
};

TEST_F(RedisConnectorTest, AcceptsOnlyRedisUrls) {
  EXPECT_FALSE(RedisConnector::IsFor(UrlOf("memory")));
  for (const char* const url : {"redis://a", "rediss://a", "redis+unix:///s",
                                "redis+sentinel://a/main", "redis+cluster://a,b"}) {
    EXPECT_TRUE(RedisConnector::IsFor(UrlOf(url))) << url;
  }
}

TEST_F(RedisConnectorTest, UsesRequestDeadlineForServersButNotForSentinels) {
  const Result<RedisConnector> store =
      RedisConnector::Make(UrlOf("redis+sentinel://a/main"), kDeadline);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store.value().node().timeout, kDeadline);
  EXPECT_LT(store.value().sentinel().timeout, kDeadline);
}

TEST_F(RedisConnectorTest, ExtendsConnectionTimeoutsToDeadline) {
  constexpr RedisTimeouts kUsual;
  const Result<RedisConnector> hasty =
      RedisConnector::Make(UrlOf("redis://a"), std::chrono::milliseconds{5});
  ASSERT_TRUE(hasty.ok());
  EXPECT_EQ(hasty.value().node().connection.timeouts.max_connect, kUsual.max_connect);
  EXPECT_EQ(hasty.value().node().connection.timeouts.max_silence, kUsual.max_silence);
  const Result<RedisConnector> patient =
      RedisConnector::Make(UrlOf("redis+sentinel://a/main"), kDeadline);
  ASSERT_TRUE(patient.ok());
  EXPECT_EQ(patient.value().node().connection.timeouts.max_connect, kDeadline);
  EXPECT_EQ(patient.value().node().connection.timeouts.max_silence, kDeadline);
  EXPECT_EQ(patient.value().sentinel().connection.timeouts.max_silence, kUsual.max_silence);
}

TEST_F(RedisConnectorTest, ConnectsByPortAndBySocketWithDatabase) {
  const RedisProcess server({"--requirepass", "p/w"});
  const std::string by_port = Concat("redis://:p%2Fw@127.0.0.1:", server.port(), "/3");
  EXPECT_EQ(Ask(by_port, {"SET", "k", "v"}), "a: +OK");
  const std::string by_socket = Concat("redis+unix://:p%2Fw@", server.socket_path());
  EXPECT_EQ(Ask(by_socket + "?database=3", {"GET", "k"}), "a: +v");
  EXPECT_EQ(Ask(by_socket, {"GET", "k"}), "a: _");
}

TEST_F(RedisConnectorTest, LogsInAsUserOfUrl) {
  const RedisProcess server;
  ASSERT_EQ(server.Call("ACL SETUSER app on '>pw' +@all"), "OK");
  EXPECT_EQ(Ask(Concat("redis://app:pw@127.0.0.1:", server.port()), {"ACL", "WHOAMI"}), "a: +app");
}

TEST_F(RedisConnectorTest, FindsPrimaryThroughSentinelsWithoutUser) {
  const RedisProcess server;
  ASSERT_EQ(server.Call("ACL SETUSER app on '>pw' '~*' +@all"), "OK");
  const RedisProcess sentinel({Concat("sentinel monitor main 127.0.0.1 ", server.port(), " 1")},
                              RedisProcess::Mode::kSentinel);
  const std::string url = Concat("redis+sentinel://app:pw@127.0.0.1:", sentinel.port(), "/main/2");
  EXPECT_EQ(Ask(url, {"SET", "k", "v"}), "a: +OK");
  EXPECT_EQ(server.Call("-n 2 GET k"), "v");
}

TEST_F(RedisConnectorTest, FindsNodeOfCluster) {
  const RedisProcess node({}, RedisProcess::Mode::kCluster);
  ASSERT_EQ(node.Call("CLUSTER ADDSLOTSRANGE 0 16383"), "OK");
  ASSERT_NE(node.CallUntil("CLUSTER INFO", "cluster_state:ok").find("cluster_state:ok"),
            std::string::npos);
  EXPECT_EQ(Ask(Concat("redis+cluster://127.0.0.1:", node.port()), {"ECHO", "here"}), "a: +here");
}

// Runs a Redis server that requires client certificates, and writes the files of a client.
class RedisStoreTlsTest : public RedisConnectorTest {
 protected:
  void SetUp() override {
    std::string folder = std::filesystem::temp_directory_path() / "sluice-store-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    const IssuedCertificate own = authority_.Issue({.names = "DNS:redis.example.org"});
    Write("ca", authority_.certificate());
    Write("certificate", own.certificate);
    Write("key", own.key);
    Write("nonsense", "nonsense");
    server_ = std::make_unique<RedisProcess>(std::vector<std::string>{
        "--tls-port", std::string(RedisProcess::kTlsPort), "--tls-ca-cert-file", Path("ca"),
        "--tls-cert-file", Path("certificate"), "--tls-key-file", Path("key")});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string Path(std::string_view name) const { return Concat(folder_, "/", name); }
  void Write(std::string_view name, std::string_view text) const {
    std::ofstream(Path(name)) << text;
  }
  [[nodiscard]] std::string Url(std::string_view ca, std::string_view key) const {
    return Concat("rediss://127.0.0.1:", server_->tls_port(), "?ca=", Path(ca),
                  "&certificate=", Path("certificate"), "&key=", Path(key),
                  "&server_name=redis.example.org");
  }

  TestAuthority authority_{"authority"};
  std::string folder_;
  std::unique_ptr<RedisProcess> server_;
};

TEST_F(RedisStoreTlsTest, UsesTlsFilesAndServerName) {
  EXPECT_EQ(Ask(Url("ca", "key"), {"ECHO", "here"}), "a: +here");
}

TEST_F(RedisStoreTlsTest, NamesUnusableFileInError) {
  EXPECT_EQ(Ask(Url("missing", "key"), {"PING"}),
            Concat("'", Path("missing"),
                   "' of the store cannot be read: No such file or "
                   "directory"));
  const std::string said = Ask(Url("nonsense", "key"), {"PING"});
  EXPECT_TRUE(said.starts_with("TLS of the store: ")) << said;
}

}  // namespace
}  // namespace sluice::cli
