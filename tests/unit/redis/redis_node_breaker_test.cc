// RedisNode, invariants (4), (6) and (7): when its breaker opens and closes.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "redis/redis_node.h"
#include "support/redis_process.h"
#include "unit/redis/node_fixture.h"

namespace sluice {
namespace {

using testing::RedisProcess;
using Words = std::vector<std::string>;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

class RedisNodeBreakerTest : public testing::NodeFixture {
 protected:
  void Connect() {
    Begin(server_);
    ASSERT_TRUE(UntilOpen());
  }
  // Opens the breaker by refusals that leave nothing behind.
  void OpenBreaker() {
    const std::size_t before = heard_.answers;
    ASSERT_EQ(server_.Call("CONFIG SET maxmemory 1"), "OK");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(Send("refused", {"INCR", "n"}), Cause::kNone);
    ASSERT_TRUE(UntilAnswers(before + 5));
    ASSERT_EQ(server_.Call("CONFIG SET maxmemory 0"), "OK");
    ASSERT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  }
  // Simulates callers that wait, one after the other, for a server that does not reply in time. The
  // first waits for 5 ms, each later one for another 20 ms.
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
  // Advances the clock by more than the first two waits for a probe.
  void Rest() { clock_.Advance(2 * settings_.breaker.rest.first); }

  const RedisProcess server_;
};

// Invariant (4).
TEST_F(RedisNodeBreakerTest, OpensAfterMissedDeadlinesAndClosesAfterProbes) {
  settings_.timeout = milliseconds{20};
  Connect();
  KeepWaiting(6);
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  // This probe fails.
  Rest();
  EXPECT_EQ(Send("c", {"INCR", "m"}, In(milliseconds{20})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{20});
  ASSERT_TRUE(UntilHeard(7));
  EXPECT_EQ(Send("b", {"INCR", "n"}), Cause::kResting);
  server_.Continue();
  ASSERT_TRUE(UntilAnswers(7));
  // Later callers find that the server works again.
  Rest();
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    if (node_->BreakerForTest() == RedisBreaker::State::kClosed) return true;
    Send("c", {"INCR", "m"}, In(milliseconds{20}));
    return false;
  }));
  EXPECT_EQ(counts_.late.ReadApprox(), 7U);
  EXPECT_EQ(heard_.answers, 7U + settings_.breaker.max_trial);
  EXPECT_EQ(counts_.breaker_opened.ReadApprox(), 1U);
}

// Heartbeats have no deadline, and an idle node sends nothing else.
TEST_F(RedisNodeBreakerTest, ClosesAfterQuickRepliesToCommandsWithoutDeadline) {
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

TEST_F(RedisNodeBreakerTest, FailsAProbeAnsweredAfterTheTimeout) {
  settings_.breaker.max_trial = 1;
  Connect();
  OpenBreaker();
  for (const Time deadline : {kLatestTime, In(std::chrono::minutes{1})}) {
    heard_.heard.clear();
    Rest();
    server_.Stop();
    ASSERT_EQ(Send("b", {"SET", "k", "v"}, deadline), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(settings_.timeout + Nanos{1});
    server_.Continue();
    ASSERT_TRUE(UntilHeard(1));
    EXPECT_EQ(heard_.heard, Words{"b: +OK"});
    EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
  }
}

TEST_F(RedisNodeBreakerTest, SendsAnotherProbeAfterAnUnansweredOne) {
  Connect();
  OpenBreaker();
  server_.Stop();
  Rest();
  EXPECT_EQ(Send("b", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
  LoopOnce(loop_);
  clock_.Advance(milliseconds{1});
  ASSERT_TRUE(UntilHeard(6));
  EXPECT_EQ(heard_.heard.back(), "b: overdue");
  clock_.Advance(settings_.timeout);
  EXPECT_EQ(Send("c", {"INCR", "n"}), Cause::kResting);
  Rest();
  EXPECT_EQ(Send("d", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
  LoopOnce(loop_);
  EXPECT_EQ(node_->under_way(), 2U);
  EXPECT_EQ(counts_.disconnects.ReadApprox(), 0U);
  server_.Continue();
}

// Invariant (6).
TEST_F(RedisNodeBreakerTest, StaysClosedWhenDeadlinesAreShorterThanTheTimeout) {
  settings_.timeout = std::chrono::seconds{20};
  Connect();
  KeepWaiting(6);
  EXPECT_EQ(heard_.heard, Words(6, "a: overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
  server_.Continue();
  ASSERT_TRUE(UntilAnswers(6));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
  EXPECT_EQ(counts_.late.ReadApprox(), 6U);
}

TEST_F(RedisNodeBreakerTest, StaysClosedWhenDeadlinesHaveAlreadyPassed) {
  Connect();
  const Time end = In(milliseconds{200});
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    // The clock waits for the server, because a slow server would really be late.
    if (node_->under_way() > 3) return false;
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(Nanos{0})), Cause::kNone);
    clock_.Advance(milliseconds{1});
    return clock_.Now() > end;
  }));
}

TEST_F(RedisNodeBreakerTest, OpensForASilentServerDespiteShortDeadlines) {
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

TEST_F(RedisNodeBreakerTest, OpensForASlowServerDespiteShortDeadlines) {
  settings_.timeout = milliseconds{10};
  Connect();
  for (std::size_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kClosed);
    server_.Stop();
    EXPECT_EQ(Send("a", {"INCR", "n"}, In(milliseconds{1})), Cause::kNone);
    LoopOnce(loop_);
    clock_.Advance(milliseconds{1});
    ASSERT_TRUE(UntilHeard(2 * i - 1));
    clock_.Advance(settings_.timeout);
    server_.Continue();
    ASSERT_TRUE(UntilAnswers(i));
  }
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeBreakerTest, CountsAProbeAnsweredInTimeAsSuccessAfterItsDeadline) {
  settings_.breaker.max_trial = 1;
  settings_.timeout = std::chrono::seconds{20};
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
TEST_F(RedisNodeBreakerTest, OpensForLateRepliesDespiteSlowRepliesWithinDeadlines) {
  settings_.timeout = milliseconds{10};
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

TEST_F(RedisNodeBreakerTest, StaysClosedForSlowRepliesWithinDeadlines) {
  settings_.timeout = milliseconds{10};
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

TEST_F(RedisNodeBreakerTest, IgnoresResultsOfCommandsThatBypassIt) {
  settings_.breaker.max_trial = 1;
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

TEST_F(RedisNodeBreakerTest, OpensForAServerThatNeverAcceptsTheLogin) {
  settings_.timeout = milliseconds{5};
  server_.Stop();
  Begin(server_);
  KeepWaiting(5);
  server_.Continue();
  EXPECT_EQ(heard_.heard, Words(5, "a: not sent overdue"));
  EXPECT_EQ(node_->BreakerForTest(), RedisBreaker::State::kOpen);
}

TEST_F(RedisNodeBreakerTest, OpensForAServerThatRefusesWrites) {
  Connect();
  OpenBreaker();
  EXPECT_EQ(Errors(RedisErrorKind::kOutOfMemory), 5U);
}

}  // namespace
}  // namespace sluice
