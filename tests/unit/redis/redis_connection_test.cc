#include "redis/redis_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "support/own_port.h"
#include "support/redis_process.h"
#include "support/silent_port.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using State = RedisConnection::State;

// Time advances only when a test says so. However long the machine delays the test or a server, no
// deadline passes and no server counts as silent.
class RedisConnectionTest : public ::testing::Test, public RedisConnection::Owner {
 protected:
  void Open(const ServerAddress& address) {
    connection_ = std::make_unique<RedisConnection>(RedisContext{loop_, clock_}, settings_, *this);
    connection_->Open(address, "127.0.0.1");
  }
  void Open(const Endpoint& endpoint) {
    Result<ServerAddress> found = FindServer(endpoint);
    ASSERT_TRUE(found.ok());
    Open(found.value());
  }
  void Open(const RedisProcess& server) { Open(TcpEndpoint{"127.0.0.1", server.port()}); }
  bool UntilOpen() {
    return LoopUntil(loop_, [this] { return connection_->state() == State::kOpen; });
  }
  bool UntilClosed() {
    return LoopUntil(loop_, [this] { return connection_->state() == State::kClosed; });
  }
  bool UntilAnswers(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return heard_.answers >= count; });
  }
  bool Send(std::string_view name, std::initializer_list<std::string_view> words,
            Time deadline = kLatestTime) {
    return connection_->Send(heard_.Make(name, words, deadline), heard_);
  }
  Time In(Nanos length) { return clock_.Now() + length; }

  EventLoop loop_;
  testing::FakeClock clock_{Time{std::chrono::hours{1}}};
  RedisConnectionSettings settings_;
  HeardAnswers heard_;
  int opened_ = 0;
  std::vector<RedisConnection::End> ends_;
  std::unique_ptr<RedisConnection> connection_;

 private:
  void OnOpen() override { ++opened_; }
  void OnClosed(const RedisConnection::End& end) override { ends_.push_back(end); }
};

TEST_F(RedisConnectionTest, SpeaksResp3AndSetsItsName) {
  const RedisProcess server;
  Open(server);
  // Commands sent before it is open are queued.
  EXPECT_TRUE(Send("a", {"HGETALL", "none"}));
  EXPECT_TRUE(Send("b", {"CLIENT", "GETNAME"}));
  ASSERT_TRUE(UntilAnswers(2));
  EXPECT_EQ(heard_.heard, (Words{"a: %0", "b: +sluice"}));
  EXPECT_EQ(opened_, 1);
}

TEST_F(RedisConnectionTest, ConnectsToAUnixSocketAndSelectsADatabase) {
  const RedisProcess server;
  settings_.greeting.database = 3;
  Open(UnixEndpoint{server.socket_path()});
  EXPECT_TRUE(Send("a", {"SET", "k", "v"}));
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"a: +OK"}));
  EXPECT_EQ(server.Call("-n 3 GET k"), "v");
}

TEST_F(RedisConnectionTest, LogsInWithAPassword) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisConnectionTest, LogsInWithAUser) {
  const RedisProcess server(
      {"--user", "limits", "on", ">secret", "~*", "+@all", "--user", "default", "off"});
  settings_.greeting.user = "limits";
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(Send("a", {"ACL", "WHOAMI"}));
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"a: +limits"}));
}

TEST_F(RedisConnectionTest, ReportsARefusedLogin) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.greeting.password = "wrong";
  Open(server);
  EXPECT_TRUE(Send("a", {"GET", "k"}));
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().error, RedisErrorKind::kWrongPassword);
  EXPECT_EQ(heard_.heard, (Words{"a: not sent not_connected"}));
  settings_.greeting.password = "";
  Open(server);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().error, RedisErrorKind::kNoAuth);
}

TEST_F(RedisConnectionTest, FallsBackToResp2WithoutHello) {
  const RedisProcess server({"--rename-command", "HELLO", "", "--requirepass", "secret"});
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(Send("a", {"HGETALL", "none"}));
  EXPECT_TRUE(Send("b", {"CLIENT", "GETNAME"}));
  ASSERT_TRUE(UntilAnswers(2));
  EXPECT_EQ(heard_.heard, (Words{"a: *0", "b: +sluice"}));
}

TEST_F(RedisConnectionTest, RejectsAReplicaAsPrimary) {
  const RedisProcess server({"--replicaof", "127.0.0.1 1"});
  settings_.greeting.role = RedisGreeting::Role::kPrimary;
  Open(server);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().error, RedisErrorKind::kReadOnly);
}

TEST_F(RedisConnectionTest, ReportsARefusedConnection) {
  const testing::OwnPort port;
  Open(TcpEndpoint{"127.0.0.1", port.number()});
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kNotConnected);
  EXPECT_NE(ends_.back().words.find("Connection refused"), std::string::npos);
}

// Invariant (1).
TEST_F(RedisConnectionTest, WritesTheCommandsOfOneRoundTogether) {
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  constexpr std::size_t kCommands = 200;
  for (std::size_t i = 0; i < kCommands; ++i) ASSERT_TRUE(Send("a", {"INCR", "n"}));
  ASSERT_TRUE(UntilAnswers(kCommands));
  EXPECT_EQ(heard_.heard.back(), "a: :200");
  // Redis counts every read, including those for the login and for redis-cli.
  const std::string reads = server.Call("INFO stats | grep total_reads_processed | tr -dc 0-9");
  EXPECT_LT(std::stoi(reads), 40);
}

// Invariant (2).
TEST_F(RedisConnectionTest, ClosesWhenAnIdleServerHangs) {
  constexpr RedisTimeouts kPatience;
  static_assert(kPatience.ping_after + kPatience.max_silence < std::chrono::seconds{3});
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  server.Stop();
  clock_.Advance(kPatience.ping_after);
  ASSERT_TRUE(LoopUntil(loop_, [this] { return connection_->under_way() == 1; }));
  clock_.Advance(kPatience.max_silence);
  ASSERT_TRUE(UntilClosed());
  server.Continue();
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kSilent);
}

TEST_F(RedisConnectionTest, ClosesWhenTheLoginIsNotAnswered) {
  const testing::OwnPort port;
  port.Listen();
  settings_.timeouts.max_connect = std::chrono::milliseconds{50};
  Open(TcpEndpoint{"127.0.0.1", port.number()});
  clock_.Advance(settings_.timeouts.max_connect);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kNotConnected);
}

// Invariant (2).
TEST_F(RedisConnectionTest, TriesTheNextAddressWhenTheFirstIsSilent) {
  const testing::SilentPort silent;
  ASSERT_TRUE(silent.is_silent());
  const RedisProcess server;
  ServerAddress address = silent.address();
  address.places.push_back(
      FindServer(TcpEndpoint{"127.0.0.1", server.port()}).value().places.front());
  Open(address);
  clock_.Advance(settings_.timeouts.max_connect / 2 - Nanos{1});
  LoopOnce(loop_);
  EXPECT_EQ(connection_->place(), 0U);
  clock_.Advance(Nanos{1});
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(connection_->place(), 1U);
}

TEST_F(RedisConnectionTest, SharesItsConnectTimeoutAmongAddresses) {
  const testing::SilentPort silent;
  ASSERT_TRUE(silent.is_silent());
  ServerAddress address = silent.address();
  address.places.resize(100, address.places.front());
  Open(address);
  // An equal share of the timeout would be too short for a round trip.
  const Nanos min = settings_.timeouts.min_place;
  const auto max = static_cast<std::size_t>(settings_.timeouts.max_connect / min);
  for (std::size_t tried = 1; tried < max; ++tried) {
    clock_.Advance(min);
    ASSERT_TRUE(LoopUntil(loop_, [&] { return connection_->place() == tried; }));
  }
  clock_.Advance(min);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(connection_->place(), max - 1);
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kNotConnected);
}

// Invariant (3).
TEST_F(RedisConnectionTest, AnswersEachCommandOnceWhenTheServerDies) {
  RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_TRUE(Send("sleep", {"DEBUG", "SLEEP", "60"}));
  EXPECT_TRUE(Send("a", {"INCR", "n"}));
  LoopOnce(loop_);
  server.Kill();
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(heard_.heard, (Words{"sleep: unknown broken", "a: unknown broken"}));
  EXPECT_EQ(ends_.size(), 1U);
}

TEST_F(RedisConnectionTest, DeliversALateReply) {
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  server.Stop();
  EXPECT_TRUE(Send("a", {"INCR", "n"}, In(std::chrono::milliseconds{5})));
  LoopOnce(loop_);
  clock_.Advance(std::chrono::milliseconds{5});
  ASSERT_TRUE(LoopUntil(loop_, [this] { return !heard_.heard.empty(); }));
  server.Continue();
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"a: overdue", "a: late :1"}));
}

TEST_F(RedisConnectionTest, ReportsAConnectionClosedByTheServerAndReopens) {
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kBroken);
  // It can be opened again.
  connection_->Open(FindServer(TcpEndpoint{"127.0.0.1", server.port()}).value());
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisConnectionTest, ClosesOnAnInvalidReply) {
  const RedisProcess server;
  settings_.bounds.reply.max_bytes = 2000;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("SETRANGE long 3000 x"), "3001");
  EXPECT_TRUE(Send("a", {"GET", "long"}));
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(heard_.heard, (Words{"a: unknown fault"}));
}

TEST_F(RedisConnectionTest, WritesTheRestLaterWhenTheSocketIsFull) {
  const RedisProcess server;
  settings_.bounds.max_bytes = std::size_t{64} << 20U;
  // The kernel measures this time itself while a server reads nothing.
  settings_.timeouts.max_silence = std::chrono::minutes{1};
  Open(server);
  ASSERT_TRUE(UntilOpen());
  const std::string large(std::size_t{4} << 20U, 'x');
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(Send("a", {"SET", "k", large}));
  ASSERT_TRUE(UntilAnswers(8));
  EXPECT_EQ(heard_.heard, Words(8, "a: +OK"));
  EXPECT_EQ(server.Call("STRLEN k"), std::to_string(large.size()));
}

}  // namespace
}  // namespace sluice
