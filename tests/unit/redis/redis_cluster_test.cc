#include "redis/redis_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/fake_clock.h"
#include "support/redis_groups.h"
#include "support/redis_process.h"
#include "unit/redis/counted_load.h"
#include "unit/redis/heard_answers.h"
#include "unit/redis/loop_until.h"
#include "unit/redis/patient_node.h"

namespace sluice {
namespace {

using testing::FakeClock;
using testing::RedisProcess;
using Cause = RedisAnswer::Cause;
using std::chrono::milliseconds;

// A cluster of three primaries.
class RedisClusterTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(group_.is_formed()); }

  RedisProcess& server(std::size_t index) { return group_.server(index); }
  std::string Id(std::size_t index) { return server(index).Call("CLUSTER MYID"); }

  void Begin(const std::string& host = "127.0.0.1") {
    settings_.seeds = {{host, server(0).port()}};
    settings_.node = PatientNode();
    settings_.refresh_every = std::chrono::hours{1};  // only refreshes with a cause
    cluster_ = std::make_unique<RedisCluster>(
        RedisParts{{loop_, *clock_}, names_, counts_, jitter_}, settings_);
  }
  Cause Send(std::string_view name, std::string_view key, Time deadline = kLatestTime) {
    RedisCommand& command = heard_.Make(name, {"INCR", key}, deadline);
    command.slot = SlotOf(key);
    return cluster_->Send(command, heard_);
  }
  // For a cluster that starts later: time advances only when the test says so.
  FakeClock& UseFakeClock() {
    auto made = std::make_unique<FakeClock>();
    FakeClock& clock = *made;
    clock_ = std::move(made);
    return clock;
  }
  bool UntilKnown() {
    return LoopUntil(loop_, [this] { return counts_.refreshes.ReadApprox() > 0; });
  }
  bool UntilAnswers(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return heard_.answers >= count; });
  }
  std::uint64_t Errors(RedisErrorKind kind) const {
    return counts_.errors.at(static_cast<std::size_t>(kind)).ReadApprox();
  }
  // For load_, which is constructed before the cluster.
  CountedLoad MakeLoad() {
    return CountedLoad(
        [this](RedisCommand& command, RedisListener& listener) {
          return cluster_->Send(command, listener);
        },
        [this](std::size_t number, RedisCommand& command) {
          const std::string key = Concat("key", number % kKeys);
          AppendRedisCommand({"INCR", key}, command.bytes);
          command.slot = SlotOf(key);
          command.deadline = clock_->Now() + std::chrono::minutes{1};
        });
  }
  void Do(std::size_t index, const std::string& command) {
    EXPECT_EQ(server(index).Call(command), "OK") << command;
  }
  void BeginMove(std::uint16_t slot, std::size_t source, std::size_t target) {
    Do(target, Concat("CLUSTER SETSLOT ", slot, " IMPORTING ", Id(source)));
    Do(source, Concat("CLUSTER SETSLOT ", slot, " MIGRATING ", Id(target)));
  }
  void EndMove(std::uint16_t slot, const std::string& key, std::size_t source, std::size_t target) {
    Do(source, Concat("MIGRATE 127.0.0.1 ", server(target).port(), " ", key, " 0 20000"));
    Do(target, Concat("CLUSTER SETSLOT ", slot, " NODE ", Id(target)));
    Do(source, Concat("CLUSTER SETSLOT ", slot, " NODE ", Id(target)));
  }
  // Waits until all servers know the latest epoch. A server that takes over a slot in an epoch that
  // another one has used may lose the slot again.
  bool UntilEpochsAgree() {
    return LoopUntil(loop_, [this] {
      const std::string first = Epoch(0);
      return first == Epoch(1) && first == Epoch(2);
    });
  }
  std::string Epoch(std::size_t index) {
    return server(index).Call("CLUSTER INFO | grep cluster_current_epoch");
  }
  // Returns the sum of all counters in the cluster.
  std::size_t Counted() {
    std::size_t sum = 0;
    for (const auto& each : group_.servers()) {
      sum += std::stoul(
          each->Call("EVAL 'local s = 0 for _, k in ipairs(redis.call(\"KEYS\", \"key*\")) do "
                     "s = s + redis.call(\"GET\", k) end return s' 0"));
    }
    return sum;
  }

  // Returns how many CLUSTER SLOTS commands the servers have received.
  std::size_t Questions() {
    std::size_t sum = 0;
    for (const auto& each : group_.servers()) {
      const std::string found = each->Call(
          "INFO commandstats | grep -o 'cluster|slots:calls=[0-9]*' | grep -o '[0-9]*$' || echo 0");
      sum += std::stoul(found);
    }
    return sum;
  }

  static constexpr std::size_t kKeys = 300;  // number of keys used by load_

  testing::RedisClusterGroup group_;
  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  RedisClusterSettings settings_;
  HeardAnswers heard_;
  CountedLoad load_ = MakeLoad();
  std::unique_ptr<RedisCluster> cluster_;
};

TEST_F(RedisClusterTest, SendsCommandsToTheNodesOfTheirSlots) {
  // Check the slots against a real server.
  for (const std::string key : {"a", "foo{bar}", "123456789", "{}x", "user:{7}:limit"}) {
    EXPECT_EQ(server(0).Call(Concat("CLUSTER KEYSLOT '", key, "'")), Concat(SlotOf(key)));
  }
  Begin();
  // Before it knows the topology, it is redirected.
  EXPECT_EQ(Send("a", "a"), Cause::kNone);    // 15495
  EXPECT_EQ(Send("b", "bar"), Cause::kNone);  // 5061
  EXPECT_EQ(Send("c", "c"), Cause::kNone);    // 7365
  ASSERT_TRUE(UntilAnswers(3));
  ASSERT_TRUE(UntilKnown());
  const std::uint64_t moved = Errors(RedisErrorKind::kMoved);
  EXPECT_EQ(moved, 2U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Send("x", Concat("k", i)), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(103));
  EXPECT_EQ(Errors(RedisErrorKind::kMoved), moved);
  EXPECT_EQ(std::count(heard_.heard.begin(), heard_.heard.end(), "x: :1"), 100);
}

// Invariant (4). The cluster identifies its nodes by address, so the node known by host name serves
// no slot.
TEST_F(RedisClusterTest, DropsANodeThatServesNothing) {
  Begin("localhost");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("a", "a", clock_->Now() + milliseconds{100});
    cluster_->RefreshSoon();
    return counts_.refreshes.ReadApprox() > 3 && cluster_->NodesForTest() == 3;
  }));
  EXPECT_EQ(Send("b", "bar"), Cause::kNone);
  EXPECT_TRUE(LoopUntil(loop_, [this] {
    return std::count(heard_.heard.begin(), heard_.heard.end(), "b: :1") == 1;
  }));
}

// Invariants (1) and (2), while a slot moves key by key.
TEST_F(RedisClusterTest, FollowsAskAndMovedAndWaitsOnTryAgain) {
  FakeClock& clock = UseFakeClock();
  Begin();
  ASSERT_TRUE(UntilKnown());
  EXPECT_EQ(Send("a", "bar"), Cause::kNone);  // slot 5061, on the first node
  ASSERT_TRUE(UntilAnswers(1));
  BeginMove(5061, 0, 1);
  // The key has not moved yet. Another key of the slot is created on the target.
  EXPECT_EQ(Send("b", "bar"), Cause::kNone);
  EXPECT_EQ(Send("c", "{bar}c"), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(3));
  EXPECT_EQ(Errors(RedisErrorKind::kAsk), 1U);
  // A command for both keys must wait until they are on one node, or until its deadline.
  RedisCommand& both = heard_.Make("d", {"MGET", "bar", "{bar}c"}, clock.Now() + milliseconds{40});
  both.slot = 5061;
  const std::uint64_t followed = counts_.redirects.ReadApprox();
  EXPECT_EQ(cluster_->Send(both, heard_), Cause::kNone);
  // The clock advances while the command waits, nearly up to its deadline, but not while a server
  // has it.
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    const std::uint64_t sent = 1 + counts_.redirects.ReadApprox() - followed;
    const Nanos step = std::min<Nanos>(milliseconds{1}, (both.deadline - clock.Now()) / 2);
    if (Errors(RedisErrorKind::kTryAgain) == sent) clock.Advance(step);
    return heard_.answers == 4;
  }));
  EXPECT_GE(Errors(RedisErrorKind::kTryAgain), 2U);
  EXPECT_TRUE(heard_.heard.back().starts_with("d: -TRYAGAIN")) << heard_.heard.back();
  EndMove(5061, "bar", 0, 1);
  EXPECT_EQ(Send("e", "bar"), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(5));
  EXPECT_EQ(heard_.heard.back(), "e: :3");
  EXPECT_EQ(Errors(RedisErrorKind::kMoved), 1U);
  EXPECT_EQ(cluster_->TopologyForTest().Find(5061)->port, server(1).port());
}

TEST_F(RedisClusterTest, LosesAndRepeatsNothingWhenSlotsMoveUnderLoad) {
  Begin();
  ASSERT_TRUE(UntilKnown());
  // A key that does not exist cannot be moved.
  load_.Send(kKeys);
  ASSERT_TRUE(LoopUntil(loop_, [this] { return load_.under_way() == 0; }));
  ASSERT_EQ(load_.replied(), kKeys);
  for (int round = 0; round < 20; ++round) {
    const std::size_t before = load_.replied();
    ASSERT_TRUE(LoopUntil(loop_, [&] {
      load_.Send(30);
      return load_.replied() > before + 100;
    }));
    // Move the slot to another node and back.
    const std::string key = Concat("key", round / 2 + 1);
    const std::uint16_t slot = SlotOf(key);
    const std::size_t home = slot <= 5460 ? 0 : (slot <= 10922 ? 1 : 2);
    const std::size_t other = (home + 1) % 3;
    const auto [source, target] = round % 2 == 0 ? std::pair(home, other) : std::pair(other, home);
    ASSERT_TRUE(UntilEpochsAgree());
    BeginMove(slot, source, target);
    load_.Send(30);
    ASSERT_TRUE(LoopUntil(loop_, [turn = 0]() mutable { return ++turn == 3; }));
    EndMove(slot, key, source, target);
  }
  ASSERT_TRUE(LoopUntil(loop_, [&] { return load_.under_way() == 0; }));
  EXPECT_EQ(load_.errors(), 0U);
  EXPECT_EQ(load_.unknown(), 0U);
  EXPECT_EQ(load_.answered_twice(), 0U);
  EXPECT_EQ(load_.replied() + load_.unsent(), load_.taken());
  EXPECT_EQ(Counted(), load_.replied());
  EXPECT_GT(Errors(RedisErrorKind::kMoved) + Errors(RedisErrorKind::kAsk), 0U);
}

// Invariant (3).
TEST_F(RedisClusterTest, RefreshesTheTopologyOneAtATimeWithBackoff) {
  constexpr milliseconds kWait{20};
  settings_.refresh = {.min = kWait, .first = kWait, .max = kWait};
  Begin();
  ASSERT_TRUE(UntilKnown());
  const std::uint64_t known = counts_.refreshes.ReadApprox();
  const std::size_t asked = Questions();
  const Time begin = clock_->Now();
  ASSERT_TRUE(LoopUntil(loop_, [&] {
    for (int i = 0; i < 10; ++i) cluster_->RefreshSoon();
    return counts_.refreshes.ReadApprox() >= known + 5;
  }));
  EXPECT_GE(clock_->Now() - begin, Nanos(5 * kWait) * 999 / 1000) << "the clock may be slewed";
  // While a refresh is unanswered, no other is sent.
  for (const auto& each : group_.servers()) each->Stop();
  bool is_later = false;
  LoopTimer later(loop_, [&] { is_later = true; });
  later.SetAfter(5 * kWait);
  EXPECT_TRUE(LoopUntil(loop_, [&] {
    cluster_->RefreshSoon();
    return is_later;
  }));
  for (const auto& each : group_.servers()) each->Continue();
  ASSERT_TRUE(LoopUntil(loop_, [&] { return counts_.refreshes.ReadApprox() >= known + 6; }));
  EXPECT_EQ(Questions() - asked, 6U);
}

TEST_F(RedisClusterTest, KeepsServingOtherSlotsWhenANodeDies) {
  Begin();
  ASSERT_TRUE(UntilKnown());
  EXPECT_EQ(Send("a", "a"), Cause::kNone);
  EXPECT_EQ(Send("b", "bar"), Cause::kNone);
  ASSERT_TRUE(UntilAnswers(2));
  server(2).Kill();
  // Commands for the slots of the dead node first fail as not connected. Once the others know, the
  // cluster is down.
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    return Send("a", "a", clock_->Now() + milliseconds{100}) == Cause::kNotConnected;
  }));
  heard_.heard.clear();
  EXPECT_EQ(Send("b", "bar"), Cause::kNone);
  const std::size_t before = heard_.answers;
  ASSERT_TRUE(UntilAnswers(before + 1));
  EXPECT_EQ(heard_.heard.back(), "b: :2");
  for (const std::size_t other : {0U, 1U}) Do(other, "CONFIG SET cluster-node-timeout 1000");
  ASSERT_TRUE(LoopUntil(loop_, [this] {
    Send("b", "bar", clock_->Now() + milliseconds{5});
    return Errors(RedisErrorKind::kClusterDown) > 0;
  }));
  server(2).Start();
}

}  // namespace
}  // namespace sluice
