#include "remote/redis_connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_clock.h"
#include "support/own_port.h"
#include "support/redis_process.h"
#include "support/silent_port.h"
#include "unit/remote/heard_answers.h"
#include "unit/remote/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using State = RedisConnection::State;

// Its time passes only where a test says so: however long the machine keeps the test or a server
// waiting, no deadline passes and no server is silent.
class RedisConnectionTest : public ::testing::Test, public RedisConnection::Owner {
 protected:
  void Open(const ServerAddress& address) {
    connection_ = std::make_unique<RedisConnection>(RedisScene{loop_, clock_}, settings_, *this);
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

TEST_F(RedisConnectionTest, ItSpeaksResp3AndTellsItsName) {
  const RedisProcess server;
  Open(server);
  // What is sent before it is open waits.
  EXPECT_TRUE(Send("a", {"HGETALL", "none"}));
  EXPECT_TRUE(Send("b", {"CLIENT", "GETNAME"}));
  ASSERT_TRUE(UntilAnswers(2));
  EXPECT_EQ(heard_.heard, (Words{"a: %0", "b: +sluice"}));
  EXPECT_EQ(opened_, 1);
}

TEST_F(RedisConnectionTest, ASocketOfTheFileSystemAndADatabase) {
  const RedisProcess server;
  settings_.greeting.database = 3;
  Open(UnixEndpoint{server.socket_path()});
  EXPECT_TRUE(Send("a", {"SET", "k", "v"}));
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"a: +OK"}));
  EXPECT_EQ(server.Call("-n 3 GET k"), "v");
}

TEST_F(RedisConnectionTest, APasswordLetsIn) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisConnectionTest, AUserLetsIn) {
  const RedisProcess server(
      {"--user", "limits", "on", ">secret", "~*", "+@all", "--user", "default", "off"});
  settings_.greeting.user = "limits";
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(Send("a", {"ACL", "WHOAMI"}));
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"a: +limits"}));
}

TEST_F(RedisConnectionTest, WhoIsNotLetInIsTold) {
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

TEST_F(RedisConnectionTest, WhereHelloIsNotKnownItSpeaksResp2) {
  const RedisProcess server({"--rename-command", "HELLO", "", "--requirepass", "secret"});
  settings_.greeting.password = "secret";
  Open(server);
  EXPECT_TRUE(Send("a", {"HGETALL", "none"}));
  EXPECT_TRUE(Send("b", {"CLIENT", "GETNAME"}));
  ASSERT_TRUE(UntilAnswers(2));
  EXPECT_EQ(heard_.heard, (Words{"a: *0", "b: +sluice"}));
}

TEST_F(RedisConnectionTest, AReplicaIsNoPrimary) {
  const RedisProcess server({"--replicaof", "127.0.0.1 1"});
  settings_.greeting.role = RedisGreeting::Role::kPrimary;
  Open(server);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().error, RedisErrorKind::kReadOnly);
}

TEST_F(RedisConnectionTest, ItIsToldIfNobodyListens) {
  const testing::OwnPort port;
  Open(TcpEndpoint{"127.0.0.1", port.number()});
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kNotConnected);
  EXPECT_NE(ends_.back().words.find("Connection refused"), std::string::npos);
}

// Invariant (1).
TEST_F(RedisConnectionTest, CommandsOfOneRoundLeaveTogether) {
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  constexpr std::size_t kCommands = 200;
  for (std::size_t i = 0; i < kCommands; ++i) ASSERT_TRUE(Send("a", {"INCR", "n"}));
  ASSERT_TRUE(UntilAnswers(kCommands));
  EXPECT_EQ(heard_.heard.back(), "a: :200");
  // Redis counts each time it found something to read: greetings and the calls of redis-cli too.
  const std::string reads = server.Call("INFO stats | grep total_reads_processed | tr -dc 0-9");
  EXPECT_LT(std::stoi(reads), 40);
}

// Invariant (2).
TEST_F(RedisConnectionTest, AServerThatHangsIsGivenUpAlsoWhenNothingIsAsked) {
  constexpr RedisPatience kPatience;
  static_assert(kPatience.ping_after + kPatience.silence_most < std::chrono::seconds{3});
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  server.Stop();
  clock_.Advance(kPatience.ping_after);
  ASSERT_TRUE(LoopUntil(loop_, [this] { return connection_->under_way() == 1; }));
  clock_.Advance(kPatience.silence_most);
  ASSERT_TRUE(UntilClosed());
  server.Continue();
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kSilent);
}

TEST_F(RedisConnectionTest, APeerThatOnlyListensIsGivenUp) {
  const testing::OwnPort port;
  port.Listen();
  settings_.patience.connect_most = std::chrono::milliseconds{50};
  Open(TcpEndpoint{"127.0.0.1", port.number()});
  clock_.Advance(settings_.patience.connect_most);
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
  clock_.Advance(settings_.patience.connect_most / 2 - Nanos{1});
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
  // An equal part would be too little for a round trip.
  const Nanos least = settings_.patience.place_least;
  const auto most = static_cast<std::size_t>(settings_.patience.connect_most / least);
  for (std::size_t tried = 1; tried < most; ++tried) {
    clock_.Advance(least);
    ASSERT_TRUE(LoopUntil(loop_, [&] { return connection_->place() == tried; }));
  }
  clock_.Advance(least);
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(connection_->place(), most - 1);
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kNotConnected);
}

// Invariant (3).
TEST_F(RedisConnectionTest, ADeathAnswersEachCommandOnce) {
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

TEST_F(RedisConnectionTest, ALateReplyComesToItsOwner) {
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

TEST_F(RedisConnectionTest, AnotherMayCloseIt) {
  const RedisProcess server;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(ends_.back().cause, RedisAnswer::Cause::kBroken);
  // And it may be opened again.
  connection_->Open(FindServer(TcpEndpoint{"127.0.0.1", server.port()}).value());
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisConnectionTest, WhatIsNoRespEndsIt) {
  const RedisProcess server;
  settings_.bounds.reply.bytes_most = 2000;
  Open(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("SETRANGE long 3000 x"), "3001");
  EXPECT_TRUE(Send("a", {"GET", "long"}));
  ASSERT_TRUE(UntilClosed());
  EXPECT_EQ(heard_.heard, (Words{"a: unknown fault"}));
}

TEST_F(RedisConnectionTest, MoreThanTheSystemTakesAtOnceIsWrittenLater) {
  const RedisProcess server;
  settings_.bounds.bytes_most = std::size_t{64} << 20U;
  // The system keeps this time itself, while a server takes nothing.
  settings_.patience.silence_most = std::chrono::minutes{1};
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
