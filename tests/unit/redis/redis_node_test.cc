#include "redis/redis_node.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/own_port.h"
#include "support/redis_process.h"
#include "support/silent_port.h"
#include "unit/redis/node_fixture.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

class RedisNodeTest : public testing::NodeFixture {};

// The SHA-1 of "return 7".
constexpr std::string_view kSha = "9d27a8d2fdc1d8ccf8eee0a9e1d8ed6e8e0bbd83";
constexpr std::string_view kScript = "return 7";

// Invariants (2) and (5).
TEST_F(RedisNodeTest, LoadsAnUnknownScriptOnce) {
  const RedisProcess server;
  Begin(server);
  const std::string sha = server.Call("SCRIPT LOAD 'return 7'");
  for (int round = 1; round <= 2; ++round) {
    ASSERT_EQ(server.Call("SCRIPT FLUSH"), "OK");
    heard_.heard.clear();
    heard_.answers = 0;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(SendScript("a", sha, kScript), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(20));
    EXPECT_EQ(heard_.heard, Words(20, "a: :7"));
    EXPECT_EQ(counts_.scripts_loaded.ReadApprox(), static_cast<std::uint64_t>(round));
  }
  EXPECT_EQ(Errors(RedisErrorKind::kNoScript), 40U);
}

TEST_F(RedisNodeTest, ReportsAScriptThatCannotBeLoadedOnce) {
  const RedisProcess server;
  Begin(server);
  EXPECT_EQ(SendScript("a", kSha, "another script, for another sum"), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  ASSERT_EQ(heard_.heard.size(), 1U);
  EXPECT_TRUE(heard_.heard[0].starts_with("a: -NOSCRIPT")) << heard_.heard[0];
}

// Invariant (3).
TEST_F(RedisNodeTest, ReconnectsAfterTheServerDied) {
  RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  server.Kill();
  // Send at once, because the node reconnects soon.
  Cause cause = Cause::kNone;
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    if (node_->is_open()) return false;
    cause = Send("a", {"GET", "k"});
    return true;
  }));
  EXPECT_EQ(cause, Cause::kNotConnected);
  // Attempts are paced while no server listens.
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() >= 3; }));
  EXPECT_NE(node_->last_words().find("Connection refused"), std::string::npos);
  server.Start();
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(Send("b", {"SET", "k", "v"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(heard_.heard, (Words{"b: +OK"}));
  EXPECT_EQ(counts_.connects.ReadApprox(), 2U);
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 1U);
}

TEST_F(RedisNodeTest, BacksOffWhenConnectionsAreDroppedAfterTheLogin) {
  settings_.reconnect = {
      .min = milliseconds{1}, .first = milliseconds{1}, .max = std::chrono::hours{1}};
  RedisPacing pacing(settings_.reconnect);
  RedisJitter jitter = jitter_;
  const RedisProcess server;
  Begin(server);
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time begin = clock->Now();
  Nanos waits{0};
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(UntilOpen());
    EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
    ASSERT_TRUE(LoopUntil(loop_, [this] { return !node_->is_open(); }));
    waits += pacing.Next(jitter);
  }
  ASSERT_TRUE(UntilOpen());
  EXPECT_GE(clock->Now() - begin, waits);
}

TEST_F(RedisNodeTest, BacksOffWhenTheLoginIsRefused) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.connection.greeting.password = "wrong";
  settings_.reconnect = {
      .min = milliseconds{1}, .first = milliseconds{1}, .max = milliseconds{200}};
  Begin(server);
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  const Time begin = clock->Now();
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() >= 3; }));
  EXPECT_GE(clock->Now() - begin, milliseconds{400});
  EXPECT_GE(Errors(RedisErrorKind::kWrongPassword), 3U);
}

TEST_F(RedisNodeTest, ReportsFailuresAndConnections) {
  RedisProcess server({"--requirepass", "hunter2"});
  const std::string name = Concat("127.0.0.1:", server.port());
  const auto until_reported = [this](const std::string& line) {
    return LoopUntil(loop_,
                     [&] { return !servers_.lines.empty() && servers_.lines.back() == line; });
  };
  settings_.connection.greeting.password = "wrong";
  Begin(server);
  EXPECT_TRUE(until_reported(Concat(
      name, ": ", name, " refused: WRONGPASS invalid username-password pair or user is disabled")));
  settings_.connection.greeting.password = "hunter2";
  Begin(server);
  EXPECT_TRUE(until_reported("connected " + name));
  EXPECT_EQ(Send("a", {"NO", "hunter2"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(servers_.lines.back(),
            Concat(name, ": ", name,
                   " answers: ERR unknown command 'NO', with args beginning with: '(secret)'"));
  server.Kill();
  EXPECT_TRUE(until_reported(Concat(name, ": cannot connect to ", name, ": Connection refused")));
}

TEST_F(RedisNodeTest, ReportsALateServer) {
  RedisProcess server;
  settings_.timeout = milliseconds{5};
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  server.Stop();
  EXPECT_EQ(Send("a", {"GET", "k"}, In(milliseconds{5})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{5});
  ASSERT_TRUE(UntilHeard(1));
  const std::string name = Concat("127.0.0.1:", server.port());
  EXPECT_EQ(servers_.lines.back(), Concat(name, ": ", name, " did not answer in 5ms"));
  server.Continue();
}

TEST_F(RedisNodeTest, ConnectsToAHostName) {
  const RedisProcess server;
  Begin(TcpEndpoint{"localhost", server.port()});
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisNodeTest, RetriesAnUnknownHostName) {
  // A label of this length is invalid, so the resolver fails without a query.
  Begin(TcpEndpoint{Concat(std::string(64, 'x'), ".invalid"), 6379});
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() >= 2; }));
  EXPECT_NE(node_->last_words().find("cannot look up"), std::string::npos);
}

TEST_F(RedisNodeTest, StartsWithTheAddressThatWorked) {
  const testing::SilentPort silent;
  ASSERT_TRUE(silent.is_silent());
  const RedisProcess server;
  NameLookup names([&](const Endpoint& /*endpoint*/) -> Result<ServerAddress> {
    ServerAddress address = silent.address();
    address.places.push_back(
        FindServer(TcpEndpoint{"127.0.0.1", server.port()}).value().places.front());
    return address;
  });
  node_ = std::make_unique<RedisNode>(RedisParts{{loop_, clock_}, names, counts_, jitter_},
                                      TcpEndpoint{"redis.example", 6379}, settings_);
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    clock_.Advance(milliseconds{10});
    return node_->is_open();
  }));
  // The clock stands still, so an attempt at the silent address would never end.
  EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connects.ReadApprox() == 2; }));
  node_.reset();
}

TEST_F(RedisNodeTest, TriesTheNextAddressAfterOneThatAcceptsAndSaysNothing) {
  const testing::OwnPort mute;
  mute.Listen();
  const RedisProcess server;
  NameLookup names([&](const Endpoint& /*endpoint*/) -> Result<ServerAddress> {
    ServerAddress address = FindServer(TcpEndpoint{"127.0.0.1", mute.number()}).value();
    address.places.push_back(
        FindServer(TcpEndpoint{"127.0.0.1", server.port()}).value().places.front());
    return address;
  });
  node_ = std::make_unique<RedisNode>(RedisParts{{loop_, clock_}, names, counts_, jitter_},
                                      TcpEndpoint{"redis.example", 6379}, settings_);
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    clock_.Advance(milliseconds{10});
    return node_->is_open();
  }));
  EXPECT_EQ(counts_.connect_failures.ReadApprox(), 1U);
  node_.reset();
}

TEST_F(RedisNodeTest, MovesToAnotherAddress) {
  const RedisProcess first;
  const RedisProcess second;
  Begin(first);
  ASSERT_TRUE(UntilOpen());
  node_->Move(TcpEndpoint{"127.0.0.1", second.port()});
  EXPECT_EQ(Send("a", {"SET", "k", "v"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(second.Call("GET k"), "v");
}

TEST_F(RedisNodeTest, ResetsTheBreakerWhenItMoves) {
  const RedisProcess first;
  const RedisProcess second;
  Begin(first);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(first.Call("CONFIG SET maxmemory 1"), "OK");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("a", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(5));
  ASSERT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  node_->Move(TcpEndpoint{"127.0.0.1", second.port()});
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(heard_.heard.back(), "c: :1");
}

// Invariant (8): the deadline passes, and the reply comes later than `timeout`.
TEST_F(RedisNodeTest, ReportsEachCommandToTheBreakerOnce) {
  settings_.timeout = milliseconds{5};
  settings_.breaker.max_failures = 2;
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (std::size_t i = 1; i <= 2; ++i) {
    EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 0U);
    server.Stop();
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{10})), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(milliseconds{10});
    ASSERT_TRUE(UntilHeard(2 * i - 1));
    clock_.Advance(milliseconds{40});
    server.Continue();
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(heard_.heard, (Words{"a: overdue", "a: late :1", "a: overdue", "a: late :2"}));
  EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 1U);
}

// Invariant (8): a good reply to a command sent before the breaker opened does not count as the
// probe.
TEST_F(RedisNodeTest, ReportsOnlyTheProbeWhileTheBreakerIsOpen) {
  settings_.timeout = std::chrono::seconds{20};
  settings_.breaker.max_failures = 1;
  settings_.breaker.max_trial = 1;
  settings_.breaker.rest = {
      .min = milliseconds{1}, .first = milliseconds{1}, .max = milliseconds{1}};
  constexpr std::string_view kRefuses = "return redis.error_reply('OOM no')";
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(Send("a", {"EVAL", kRefuses, "0"}), Cause::kNone);
  EXPECT_EQ(Send("b", {"BLPOP", "list", "0"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  clock_.Advance(settings_.breaker.rest.max);
  ASSERT_EQ(Send("probe", {"EVAL", kRefuses, "0"}), Cause::kNone);
  ASSERT_EQ(server.Call("RPUSH list x"), "1");
  ASSERT_TRUE(UntilAnswers(3));
  EXPECT_EQ(heard_.heard, (Words{"a: -OOM no", "b: *2", "probe: -OOM no"}));
  EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 1U);
}

TEST_F(RedisNodeTest, ReportsBusyScriptsAndMissingPermissions) {
  const RedisProcess server({"--busy-reply-threshold", "1"});
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  const std::string asked = "EVAL 'while true do end' 0 > /dev/null 2>&1 & echo started";
  EXPECT_EQ(server.Call(asked), "started");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    if (node_->under_way() == 0) Send("a", {"INCR", "n"});
    return Errors(RedisErrorKind::kBusy) > 0;
  }));
  EXPECT_EQ(server.CallUntil("SCRIPT KILL", "OK"), "OK");
  // A killed script may keep running for a moment.
  ASSERT_EQ(server.CallUntil("ACL SETUSER default -incr", "OK"), "OK");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    if (node_->under_way() == 0) Send("b", {"INCR", "n"});
    return Errors(RedisErrorKind::kNoPermission) > 0;
  }));
}

TEST_F(RedisNodeTest, ReconnectsWhenTheLoginWasRevoked) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.connection.greeting.password = "secret";
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(Send("a", {"RESET"}), Cause::kNone);
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(2));
  EXPECT_EQ(Errors(RedisErrorKind::kNoAuth), 1U);
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connects.ReadApprox() == 2; }));
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(3));
  EXPECT_EQ(heard_.heard.back(), "c: :1");
}

// Invariant (1). A command that was replied to has run once; one with an unknown outcome at most
// once.
TEST_F(RedisNodeTest, LosesAndRepeatsNothingWhenConnectionsAreKilledUnderLoad) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (std::uint64_t kill = 0; kill < 10; ++kill) {
    // Replies of the previous connection may still arrive.
    ASSERT_TRUE(LoopUntil(loop_, [&] { return counts_.connects.ReadApprox() == kill + 1; }));
    const std::size_t before = load_.replied();
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      load_.Send(50);
      return load_.replied() > before + 500;
    }));
    EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0; }));
  const std::size_t counted = std::stoul(server.Call("GET n"));
  EXPECT_GE(counted, load_.replied());
  EXPECT_LE(counted, load_.replied() + load_.unknown());
  EXPECT_EQ(load_.replied() + load_.unknown() + load_.unsent(), load_.taken());
  EXPECT_EQ(load_.answered_twice(), 0U);
}

TEST_F(RedisNodeTest, AnswersEachCommandOnceWhenTheServerDiesUnderLoad) {
  RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (int death = 0; death < 3; ++death) {
    const std::size_t before = load_.replied();
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      load_.Send(50);
      return load_.replied() > before + 500;
    }));
    load_.Send(100);
    server.Kill();
    ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0; }));
    server.Start();
  }
  EXPECT_EQ(load_.replied() + load_.unknown() + load_.unsent(), load_.taken());
  EXPECT_EQ(load_.answered_twice(), 0U);
}

TEST_F(RedisNodeTest, AnswersCommandsInFlightWhenDestroyed) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(Send("a", {"GET", "k"}), Cause::kNone);
  node_.reset();
  EXPECT_EQ(heard_.heard, (Words{"a: not sent closed"}));
}

}  // namespace
}  // namespace sluice
