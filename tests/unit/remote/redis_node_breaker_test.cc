// RedisNode, invariants (4), (6) and (7): what opens its breaker and what closes it.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "remote/redis_node.h"
#include "support/redis_process.h"
#include "unit/remote/node_scene.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

class RedisNodeBreakerTest : public testing::NodeScene {
 protected:
  void Connect() {
    Begin(server_);
    ASSERT_TRUE(UntilOpen());
  }
  // By refusals, of which nothing stays.
  void OpenBreaker() {
    const std::size_t before = heard_.answers;
    ASSERT_EQ(server_.Call("CONFIG SET maxmemory 1"), "OK");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("refused", {"INCR", "n"}), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(before + 5));
    ASSERT_EQ(server_.Call("CONFIG SET maxmemory 0"), "OK");
    ASSERT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  }
  // Callers, one after the other, that wait for a server which does not reply in time. The first
  // of them has waited for 5 ms, each of the others for 20 ms more.
  void KeepWaiting(std::size_t count) {
    server_.Stop();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{5 + 20 * i})), Cause::kNone);
    }
    LoopOnce(loop_);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
      clock_.Advance(milliseconds{i == 0 ? 5 : 20});
      ASSERT_TRUE(UntilHeard(i + 1));
    }
  }
  // Longer than the first two waits for a probe.
  void Rest() { clock_.Advance(2 * settings_.breaker.rest.first); }

  const RedisProcess server_;
};

// Invariant (4).
TEST_F(RedisNodeBreakerTest, DeadlinesThatPassOpenTheBreakerAndAProbeClosesIt) {
  settings_.patience = milliseconds{20};
  Connect();
  KeepWaiting(6);
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  // A probe that fails.
  Rest();
  EXPECT_EQ(Send("c", {"INCR", "m"}, In(milliseconds{20})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{20});
  ASSERT_TRUE(UntilHeard(7));
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  server_.Continue();
  ASSERT_TRUE(UntilAnswers(7));
  // Whoever comes later finds out that it works again.
  Rest();
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    if (node_->BreakerForTest() == RedisBreaker::State::kClosed) return true;
    Send("c", {"INCR", "m"}, In(milliseconds{20}));
    return false;
  }));
  EXPECT_EQ(counts_.late.ReadApprox(), 7U);
  EXPECT_EQ(heard_.answers, 7U + settings_.breaker.trial_most);
  EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 1U);
}

// Those that say that this node lives have no deadline, and an idle node sends no others.
TEST_F(RedisNodeBreakerTest, WhatHasNoDeadlineClosesTheBreakerIfItIsQuick) {
  Connect();
  const auto send_until = [this](RedisBreaker::State state) {
    return LoopUntil(loop_, [this, state] {
      if (node_->under_way() == 0) Send("a", {"INCR", "n"});
      return node_->BreakerForTest() == state;
    });
  };
  ASSERT_EQ(server_.Call("CONFIG SET maxmemory 1"), "OK");
  ASSERT_TRUE(send_until(RedisBreaker::State::kOpen));
  ASSERT_EQ(server_.Call("CONFIG SET maxmemory 0"), "OK");
  Rest();
  ASSERT_TRUE(send_until(RedisBreaker::State::kProbing));
  EXPECT_TRUE(send_until(RedisBreaker::State::kClosed));
}

TEST_F(RedisNodeBreakerTest, WhatMayTakeLongerIsNoProbeThatSucceedsIfItIsSlow) {
  settings_.breaker.trial_most = 1;
  Connect();
  OpenBreaker();
  for (const Time deadline : {kLatestTime, In(std::chrono::minutes{1})}) {
    heard_.heard.clear();
    Rest();
    server_.Stop();
    ASSERT_EQ(Send("b", {"SET", "k", "v"}, deadline), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(settings_.patience + Nanos{1});
    server_.Continue();
    ASSERT_TRUE(UntilHeard(1));
    EXPECT_EQ(heard_.heard, Words{"b: +OK"});
    EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  }
}

TEST_F(RedisNodeBreakerTest, AProbeThatIsNotAnsweredIsFollowedByAnother) {
  Connect();
  OpenBreaker();
  server_.Stop();
  Rest();
  EXPECT_EQ(Send("b", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{1});
  ASSERT_TRUE(UntilHeard(6));
  EXPECT_EQ(heard_.heard.back(), "b: overdue");
  clock_.Advance(settings_.patience);
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kResting);
  Rest();
  EXPECT_EQ(Send("d", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
  LoopOnce(loop_);
  EXPECT_EQ(node_->under_way(), 2U);
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 0U);
  server_.Continue();
}

// Invariant (6).
TEST_F(RedisNodeBreakerTest, CallersWithLittleTimeDoNotOpenTheBreaker) {
  settings_.patience = std::chrono::seconds{20};
  Connect();
  KeepWaiting(6);
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
  server_.Continue();
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
  EXPECT_EQ(counts_.late.ReadApprox(), 6U);
}

TEST_F(RedisNodeBreakerTest, CallersWithoutTimeDoNotOpenTheBreaker) {
  Connect();
  const Time end = In(milliseconds{200});
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    // Time waits for the server: one that is slow would be late for them.
    if (node_->under_way() > 3) return false;
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(Nanos{0})), Cause::kNone);
    clock_.Advance(milliseconds{1});
    return clock_.Now() > end;
  }));
}

TEST_F(RedisNodeBreakerTest, ASilentServerOpensTheBreakerHoweverLittleTimeCallersHave) {
  Connect();
  server_.Stop();
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("a", {"INCR", "n"}, In(milliseconds{2}));
    clock_.Advance(milliseconds{1});
    return node_->BreakerForTest() == RedisBreaker::State::kOpen;
  }));
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 0U);
  server_.Continue();
}

TEST_F(RedisNodeBreakerTest, ASlowServerOpensTheBreakerHoweverLittleTimeCallersHave) {
  settings_.patience = milliseconds{10};
  Connect();
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
    server_.Stop();
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(milliseconds{1});
    ASSERT_TRUE(UntilHeard(2 * i - 1));
    clock_.Advance(settings_.patience);
    server_.Continue();
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeBreakerTest, AProbeWhoseCallerHasGoneSucceedsIfItIsAnsweredInTime) {
  settings_.breaker.trial_most = 1;
  settings_.patience = std::chrono::seconds{20};
  Connect();
  OpenBreaker();
  heard_.heard.clear();
  Rest();
  server_.Stop();
  ASSERT_EQ(Send("b", {"INCR", "n"}, In(milliseconds{5})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{5});
  ASSERT_TRUE(UntilHeard(1));
  server_.Continue();
  ASSERT_TRUE(UntilHeard(2));
  EXPECT_EQ(heard_.heard, (Words{"b: overdue", "b: late :1"}));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
}

// Invariant (7).
TEST_F(RedisNodeBreakerTest, WhatMayTakeLongerDoesNotOutvoteWhatIsLate) {
  settings_.patience = milliseconds{10};
  Connect();
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
    server_.Stop();
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{10})), Cause::kNone);
    for (int j = 0; j < 5; ++j) {
      EXPECT_EQ(Send("b", {"INCR", "n"}, In(std::chrono::seconds{20})), Cause::kNone);
    }
    LoopOnce(loop_);
    clock_.Advance(milliseconds{10});
    ASSERT_TRUE(UntilHeard(7 * i - 6));
    clock_.Advance(milliseconds{40});
    server_.Continue();
    ASSERT_TRUE(UntilAnswers(6 * i));
  }
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeBreakerTest, WhatMayTakeLongerDoesNotOpenTheBreaker) {
  settings_.patience = milliseconds{10};
  Connect();
  for (std::size_t i = 1; i <= 6; ++i) {
    server_.Stop();
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(std::chrono::seconds{20})), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(milliseconds{30});
    server_.Continue();
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
}

TEST_F(RedisNodeBreakerTest, WhatPassesTheBreakerTellsItNothing) {
  settings_.breaker.trial_most = 1;
  Connect();
  OpenBreaker();
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  RedisCommand& beat = heard_.Make("beat", {"INCR", "n"});
  beat.passes_breaker = true;
  EXPECT_EQ(node_->Send(beat, heard_), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(heard_.heard.back(), "beat: :1");
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kResting);
}

TEST_F(RedisNodeBreakerTest, APlaceThatLetsNobodyInOpensTheBreaker) {
  settings_.patience = milliseconds{5};
  server_.Stop();
  Begin(server_);
  KeepWaiting(5);
  server_.Continue();
  EXPECT_EQ(heard_.heard, Words(5, "a: not sent overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeBreakerTest, AServerThatTakesNoWritesOpensTheBreaker) {
  Connect();
  OpenBreaker();
  EXPECT_EQ(Errors(RedisErrorKind::kOutOfMemory), 5U);
}

}  // namespace
}  // namespace sluice
