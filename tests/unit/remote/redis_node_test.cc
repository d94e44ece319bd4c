#include "remote/redis_node.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/redis_process.h"
#include "unit/remote/counted_load.h"
#include "unit/remote/heard_answers.h"
#include "unit/remote/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

class RedisNodeTest : public ::testing::Test {
 protected:
  void Begin(const Endpoint& endpoint) {
    node_ = std::make_unique<RedisNode>(RedisParts{{loop_, *clock_}, names_, counts_, jitter_},
                                        endpoint, settings_);
  }
  void Begin(const RedisProcess& server) { Begin(TcpEndpoint{"127.0.0.1", server.port()}); }
  bool UntilOpen() {
    return LoopUntil(loop_, [this] { return node_->is_open(); });
  }
  bool UntilAnswers(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return heard_.answers >= count; });
  }
  Cause Send(std::string_view name, std::initializer_list<std::string_view> words,
             Time deadline = kLatestTime) {
    return node_->Send(heard_.Make(name, words, deadline), heard_);
  }
  Cause SendScript(std::string_view name, std::string_view sha, std::string_view script) {
    RedisCommand& command = heard_.Make(name, {"EVALSHA", sha, "0"});
    command.script = script;
    return node_->Send(command, heard_);
  }
  // By refusals, of which nothing stays.
  void OpenBreaker(const RedisProcess& server) {
    const std::size_t before = heard_.answers;
    ASSERT_EQ(server.Call("CONFIG SET maxmemory 1"), "OK");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("refused", {"INCR", "n"}), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(before + 5));
    ASSERT_EQ(server.Call("CONFIG SET maxmemory 0"), "OK");
    ASSERT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
  }
  Time In(Nanos length) { return clock_->Now() + length; }
  std::uint64_t Errors(RedisErrorKind kind) const {
    return counts_.errors.at(static_cast<std::size_t>(kind)).ReadApprox();
  }

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  RedisNodeSettings settings_;
  HeardAnswers heard_;
  std::unique_ptr<RedisNode> node_;
};

// SHA-1 of "return 7".
constexpr std::string_view kSha = "9d27a8d2fdc1d8ccf8eee0a9e1d8ed6e8e0bbd83";
constexpr std::string_view kScript = "return 7";

// Invariants (2) and (5).
TEST_F(RedisNodeTest, AScriptThatIsNotKnownIsTaughtOnce) {
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

TEST_F(RedisNodeTest, AScriptThatCannotBeTaughtIsAnErrorOnce) {
  const RedisProcess server;
  Begin(server);
  EXPECT_EQ(SendScript("a", kSha, "another script, for another sum"), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  ASSERT_EQ(heard_.heard.size(), 1U);
  EXPECT_TRUE(heard_.heard[0].starts_with("a: -NOSCRIPT")) << heard_.heard[0];
}

// Invariant (3).
TEST_F(RedisNodeTest, ItComesBackAfterADeath) {
  RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  server.Kill();
  ASSERT_TRUE(LoopUntil(loop_, [this] { return !node_->is_open(); }));
  EXPECT_EQ(Send("a", {"GET", "k"}), Cause::kNotConnected);
  // Attempts are paced while nobody listens.
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

TEST_F(RedisNodeTest, WhoIsLetInAndThenDroppedComesBackLaterEachTime) {
  settings_.reconnect = {
      .least = milliseconds{1}, .first = milliseconds{1}, .most = std::chrono::hours{1}};
  RedisPacing pacing(settings_.reconnect);
  RedisJitter jitter = jitter_;
  const RedisProcess server;
  Begin(server);
  const Time begin = clock_->Now();
  Nanos waits{0};
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(UntilOpen());
    EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
    ASSERT_TRUE(LoopUntil(loop_, [this] { return !node_->is_open(); }));
    waits += pacing.Next(jitter);
  }
  ASSERT_TRUE(UntilOpen());
  EXPECT_GE(clock_->Now() - begin, waits);
}

TEST_F(RedisNodeTest, WhoIsNotLetInComesBackLater) {
  const RedisProcess server({"--requirepass", "secret"});
  settings_.connection.greeting.password = "wrong";
  settings_.reconnect = {
      .least = milliseconds{1}, .first = milliseconds{1}, .most = milliseconds{200}};
  Begin(server);
  const Time begin = clock_->Now();
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() >= 3; }));
  EXPECT_GE(clock_->Now() - begin, milliseconds{400});
  EXPECT_GE(Errors(RedisErrorKind::kWrongPassword), 3U);
}

TEST_F(RedisNodeTest, ANameIsLookedUp) {
  const RedisProcess server;
  Begin(TcpEndpoint{"localhost", server.port()});
  EXPECT_TRUE(UntilOpen());
}

TEST_F(RedisNodeTest, ANameThatIsUnknownIsTriedAgain) {
  Begin(TcpEndpoint{"no-such-host.invalid", 6379});
  ASSERT_TRUE(LoopUntil(loop_, [this] { return counts_.connect_failures.ReadApprox() >= 2; }));
  EXPECT_NE(node_->last_words().find("cannot look up"), std::string::npos);
}

TEST_F(RedisNodeTest, ItMovesToAnotherPlace) {
  const RedisProcess first;
  const RedisProcess second;
  Begin(first);
  ASSERT_TRUE(UntilOpen());
  node_->Move(TcpEndpoint{"127.0.0.1", second.port()});
  EXPECT_EQ(Send("a", {"SET", "k", "v"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(1));
  EXPECT_EQ(second.Call("GET k"), "v");
}

TEST_F(RedisNodeTest, WhatWasWrongWithOnePlaceIsNotHeldAgainstAnother) {
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

// Invariant (4).
TEST_F(RedisNodeTest, DeadlinesThatPassOpenTheBreakerAndAProbeClosesIt) {
  settings_.patience = milliseconds{20};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("CLIENT PAUSE 600"), "OK");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{5 + 20 * i})), Cause::kNone);
  }
  ASSERT_TRUE(LoopUntil(loop_, [this] { return heard_.heard.size() == 6; }));
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  // Whoever comes later finds out that it works again.
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("c", {"INCR", "m"}, In(milliseconds{20}));
    return node_->breaker() == RedisBreaker::State::kClosed;
  }));
  EXPECT_EQ(counts_.late.ReadApprox(), heard_.answers - settings_.breaker.trial_most);
  EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 1U);
}

// Those that say that this node lives have no deadline, and an idle node sends no others.
TEST_F(RedisNodeTest, WhatHasNoDeadlineClosesTheBreakerIfItIsQuick) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  const auto send_until = [this](RedisBreaker::State state) {
    return LoopUntil(loop_, [this, state] {
      if (node_->under_way() == 0) Send("a", {"INCR", "n"});
      return node_->breaker() == state;
    });
  };
  ASSERT_EQ(server.Call("CONFIG SET maxmemory 1"), "OK");
  ASSERT_TRUE(send_until(RedisBreaker::State::kOpen));
  ASSERT_EQ(server.Call("CONFIG SET maxmemory 0"), "OK");
  ASSERT_TRUE(send_until(RedisBreaker::State::kProbing));
  EXPECT_TRUE(send_until(RedisBreaker::State::kClosed));
}

// Invariant (4): where the way is longer than anybody waits, nothing else can close it.
TEST_F(RedisNodeTest, WhatNobodyWaitsForClosesTheBreakerOfAFarServer) {
  settings_.breaker.trial_most = 1;
  settings_.patience = Nanos{1};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  OpenBreaker(server);
  EXPECT_TRUE(LoopUntil(loop_, [this] {
    if (node_->under_way() == 0) Send("b", {"INCR", "n"});
    return node_->breaker() == RedisBreaker::State::kClosed;
  }));
}

TEST_F(RedisNodeTest, WhatMayTakeLongerIsNoProbeThatSucceedsIfItIsSlow) {
  settings_.breaker.trial_most = 1;
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  OpenBreaker(server);
  for (const Time deadline : {kLatestTime, In(std::chrono::minutes{1})}) {
    heard_.heard.clear();
    ASSERT_EQ(server.Call("CLIENT PAUSE 500"), "OK");
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      return Send("b", {"SET", "k", "v"}, deadline) == Cause::kNone;
    }));
    ASSERT_TRUE(LoopUntil(loop_, [this] { return !heard_.heard.empty(); }));
    EXPECT_EQ(heard_.heard, Words{"b: +OK"});
    EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
  }
}

TEST_F(RedisNodeTest, AProbeThatIsNotAnsweredIsFollowedByAnother) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  OpenBreaker(server);
  server.Stop();
  EXPECT_TRUE(LoopUntil(loop_, [this] {
    Send("b", {"INCR", "n"}, In(milliseconds{1}));
    return node_->under_way() == 2;
  }));
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 0U);
  server.Continue();
}

// Invariant (6).
TEST_F(RedisNodeTest, CallersWithLittleTimeDoNotOpenTheBreaker) {
  settings_.patience = std::chrono::seconds{20};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("CLIENT PAUSE 300"), "OK");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{5 + 20 * i})), Cause::kNone);
  }
  ASSERT_TRUE(LoopUntil(loop_, [this] { return heard_.heard.size() == 6; }));
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
  EXPECT_EQ(counts_.late.ReadApprox(), 6U);
}

TEST_F(RedisNodeTest, CallersWithoutTimeDoNotOpenTheBreaker) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  const Time end = In(milliseconds{200});
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(Nanos{0})), Cause::kNone);
    return clock_->Now() > end;
  }));
}

TEST_F(RedisNodeTest, ASilentServerOpensTheBreakerHoweverLittleTimeCallersHave) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  server.Stop();
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("a", {"INCR", "n"}, In(milliseconds{2}));
    return node_->breaker() == RedisBreaker::State::kOpen;
  }));
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 0U);
  server.Continue();
}

TEST_F(RedisNodeTest, ASlowServerOpensTheBreakerHoweverLittleTimeCallersHave) {
  settings_.patience = milliseconds{10};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
    EXPECT_EQ(Send("a", {"BLPOP", "none", "0.03"}, In(milliseconds{1})), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeTest, AProbeWhoseCallerHasGoneSucceedsIfItIsAnsweredInTime) {
  settings_.breaker.trial_most = 1;
  settings_.patience = std::chrono::seconds{20};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  OpenBreaker(server);
  heard_.heard.clear();
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    return Send("b", {"BLPOP", "none", "0.03"}, In(milliseconds{5})) == Cause::kNone;
  }));
  ASSERT_TRUE(LoopUntil(loop_, [this] { return heard_.heard.size() == 2; }));
  EXPECT_EQ(heard_.heard, (Words{"b: overdue", "b: late _"}));
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
}

// Invariant (7).
TEST_F(RedisNodeTest, WhatMayTakeLongerDoesNotOutvoteWhatIsLate) {
  settings_.patience = milliseconds{10};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
    EXPECT_EQ(Send("a", {"BLPOP", "none", "0.05"}, In(milliseconds{10})), Cause::kNone);
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(Send("b", {"INCR", "n"}, In(std::chrono::seconds{20})), Cause::kNone);
    }
    ASSERT_TRUE(UntilAnswers(6 * i));
  }
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeTest, WhatMayTakeLongerDoesNotOpenTheBreaker) {
  settings_.patience = milliseconds{10};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  for (std::size_t i = 1; i <= 6; ++i) {
    EXPECT_EQ(Send("a", {"BLPOP", "none", "0.03"}, In(std::chrono::seconds{20})), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kClosed);
}

TEST_F(RedisNodeTest, WhatPassesTheBreakerTellsItNothing) {
  settings_.breaker.trial_most = 1;
  const std::chrono::hours hour{1};
  settings_.breaker.rest = {.least = hour, .first = hour, .most = hour};
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("CONFIG SET maxmemory 1"), "OK");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("a", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(5));
  ASSERT_EQ(server.Call("CONFIG SET maxmemory 0"), "OK");
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  RedisCommand& beat = heard_.Make("beat", {"INCR", "n"});
  beat.passes_breaker = true;
  EXPECT_EQ(node_->Send(beat, heard_), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(heard_.heard.back(), "beat: :1");
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kResting);
}

TEST_F(RedisNodeTest, APlaceThatLetsNobodyInOpensTheBreaker) {
  settings_.patience = milliseconds{5};
  const RedisProcess server;
  server.Stop();
  Begin(server);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{5 + 20 * i})), Cause::kNone);
  }
  ASSERT_TRUE(UntilAnswers(5));
  server.Continue();
  EXPECT_EQ(heard_.heard, Words(5, "a: not sent overdue"));
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeTest, AServerThatTakesNoWritesOpensTheBreaker) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  ASSERT_EQ(server.Call("CONFIG SET maxmemory 1"), "OK");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("a", {"INCR", "n"}), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(5));
  EXPECT_EQ(Errors(RedisErrorKind::kOutOfMemory), 5U);
  EXPECT_EQ(node_->breaker(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeTest, ScriptsThatDoNotEndAndUsersThatMayNotAreTold) {
  const RedisProcess server({"--busy-reply-threshold", "1"});
  settings_.breaker.failures_most = 1000;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  const std::string asked = "EVAL 'while true do end' 0 > /dev/null 2>&1 & echo started";
  EXPECT_EQ(server.Call(asked), "started");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("a", {"INCR", "n"});
    return Errors(RedisErrorKind::kBusy) > 0;
  }));
  EXPECT_EQ(server.CallUntil("SCRIPT KILL", "OK"), "OK");
  ASSERT_EQ(server.Call("ACL SETUSER default -incr"), "OK");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("b", {"INCR", "n"});
    return Errors(RedisErrorKind::kNoPermission) > 0;
  }));
}

TEST_F(RedisNodeTest, ALoginThatWasTakenBackIsRenewed) {
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

// Invariant (1). What was replied has run once, what is unknown once or not at all.
TEST_F(RedisNodeTest, ConnectionsKilledUnderLoadLoseAndRepeatNothing) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  CountedLoad load([this](RedisCommand& command, RedisListener& listener) {
    return node_->Send(command, listener);
  });
  for (int kill = 0; kill < 10; ++kill) {
    const std::size_t before = load.replied();
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      load.Send(50);
      return load.replied() > before + 500;
    }));
    EXPECT_EQ(server.Call("CLIENT KILL TYPE normal SKIPME yes"), "1");
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load.under_way() == 0; }));
  const std::size_t counted = std::stoul(server.Call("GET n"));
  EXPECT_GE(counted, load.replied());
  EXPECT_LE(counted, load.replied() + load.unknown());
  EXPECT_EQ(load.replied() + load.unknown() + load.unsent(), load.taken());
  EXPECT_EQ(load.answered_twice(), 0U);
}

TEST_F(RedisNodeTest, ADeathUnderLoadAnswersEachOnce) {
  RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  CountedLoad load([this](RedisCommand& command, RedisListener& listener) {
    return node_->Send(command, listener);
  });
  for (int death = 0; death < 3; ++death) {
    const std::size_t before = load.replied();
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      load.Send(50);
      return load.replied() > before + 500;
    }));
    load.Send(100);
    server.Kill();
    ASSERT_TRUE(LoopUntil(loop_, [&] { return load.under_way() == 0; }));
    server.Start();
  }
  EXPECT_EQ(load.replied() + load.unknown() + load.unsent(), load.taken());
  EXPECT_EQ(load.answered_twice(), 0U);
}

TEST_F(RedisNodeTest, ItsEndAnswersWhatIsUnderWay) {
  const RedisProcess server;
  Begin(server);
  ASSERT_TRUE(UntilOpen());
  EXPECT_EQ(Send("a", {"GET", "k"}), Cause::kNone);
  node_.reset();
  EXPECT_EQ(heard_.heard, (Words{"a: not sent closed"}));
}

}  // namespace
}  // namespace sluice
