#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "redis/redis_node.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "unit/net/tls/tls_certificates.h"
#include "unit/redis/counted_load.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Cause = RedisAnswer::Cause;

// A server that speaks TLS on a second port and requires client certificates. The clock stands
// still, so that no server times out however long the machine delays the test or the server.
class RedisTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = std::filesystem::temp_directory_path() / "sluice-tls-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    const IssuedCertificate own = authority_.Issue({.names = "DNS:redis.example.org,IP:127.0.0.1"});
    Write("ca", authority_.certificate());
    Write("certificate", own.certificate);
    Write("key", own.key);
    server_ = std::make_unique<RedisProcess>(std::vector<std::string>{
        "--tls-port", std::string(RedisProcess::kTlsPort), "--tls-ca-cert-file", folder_ + "/ca",
        "--tls-cert-file", folder_ + "/certificate", "--tls-key-file", folder_ + "/key"});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  void Begin(const TlsClientTexts& texts, const std::string& server_name = "") {
    Result<std::shared_ptr<const TlsClientContext>> made = TlsClientContext::Make(texts);
    ASSERT_TRUE(made.ok()) << made.error().message;
    settings_.connection.tls = {made.value(), server_name};
    node_ = std::make_unique<RedisNode>(RedisParts{{loop_, clock_}, names_, counts_, jitter_},
                                        TcpEndpoint{"127.0.0.1", server_->tls_port()}, settings_);
  }
  TlsClientTexts Texts() {
    const IssuedCertificate client = authority_.Issue({.names = "DNS:sluice.example.org"});
    return {authority_.certificate(), client.certificate, client.key};
  }
  bool UntilOpen() {
    return LoopUntil(loop_, [this] { return node_->is_open(); });
  }
  bool UntilRefused() {
    return LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() > 0; });
  }

  TestAuthority authority_{"authority"};
  std::string folder_;
  std::unique_ptr<RedisProcess> server_;
  EventLoop loop_;
  testing::FakeClock clock_{Time{std::chrono::hours{1}}};
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  RedisNodeSettings settings_;
  // These outlive the node, even if a test ends early.
  HeardAnswers heard_;
  CountedLoad load_{[this](RedisCommand& command, RedisListener& listener) {
    return node_->Send(command, listener);
  }};
  std::unique_ptr<RedisNode> node_;
};

TEST_F(RedisTlsTest, TransfersCommandsOfAllSizes) {
  settings_.connection.bounds.max_bytes = std::size_t{64} << 20U;
  // The kernel measures this time itself while a server reads nothing.
  settings_.connection.timeouts.max_silence = std::chrono::minutes{1};
  Begin(Texts());
  ASSERT_TRUE(UntilOpen());
  load_.Send(1000);
  const std::string large(std::size_t{4} << 20U, 'x');
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(node_->Send(heard_.Make("a", {"SET", "k", large}), heard_), Cause::kNone);
    EXPECT_EQ(node_->Send(heard_.Make("b", {"STRLEN", "k"}), heard_), Cause::kNone);
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0 && heard_.answers == 6; }));
  EXPECT_EQ(load_.replied(), 1000U);
  EXPECT_EQ(heard_.heard.back(), "b: :4194304");
  EXPECT_EQ(server_->Call("GET n"), "1000");
}

TEST_F(RedisTlsTest, AcceptsAConfiguredServerName) {
  Begin(Texts(), "redis.example.org");
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisTlsTest, RejectsACertificateForAnotherName) {
  Begin(Texts(), "other.example.org");
  ASSERT_TRUE(UntilRefused());
  EXPECT_FALSE(node_->is_open());
  EXPECT_NE(node_->last_words().find("ostname mismatch"), std::string::npos) << node_->last_words();
}

TEST_F(RedisTlsTest, RejectsAnyCertificateWithoutAServerName) {
  settings_.connection.tls = {TlsClientContext::Make(Texts()).value(), ""};
  node_ = std::make_unique<RedisNode>(RedisParts{{loop_, clock_}, names_, counts_, jitter_},
                                      UnixEndpoint{server_->socket_path()}, settings_);
  ASSERT_TRUE(UntilRefused());
  EXPECT_NE(node_->last_words().find("TLS failed"), std::string::npos) << node_->last_words();
}

TEST_F(RedisTlsTest, RejectsACertificateOfAnotherAuthority) {
  TlsClientTexts texts = Texts();
  texts.ca = TestAuthority("stranger").certificate();
  Begin(texts);
  ASSERT_TRUE(UntilRefused());
  EXPECT_NE(node_->last_words().find("TLS failed"), std::string::npos) << node_->last_words();
}

TEST_F(RedisTlsTest, IsRefusedWithoutAClientCertificate) {
  TlsClientTexts texts = Texts();
  texts.certificate = "";
  Begin(texts);
  ASSERT_TRUE(LoopUntil(loop_, [this] { return !node_->last_words().empty(); }));
  EXPECT_EQ(counts_.connects.ReadApprox(), 0U);
}

}  // namespace
}  // namespace sluice
