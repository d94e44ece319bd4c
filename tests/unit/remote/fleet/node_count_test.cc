#include "remote/fleet/node_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "remote/script/redis_scripts.h"
#include "support/fake_clock.h"
#include "support/redis_process.h"
#include "support/redis_server.h"
#include "unit/redis/fake_redis_client.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class NodeCountTest : public ::testing::Test {
 protected:
  void Connect(const Endpoint& endpoint) {
    client_ = std::make_unique<RedisSingle>(RedisParts{{loop_, *clock_}, names_, counts_, jitter_},
                                            endpoint, RedisNodeSettings{});
  }
  FakeRedisClient& ConnectFake() {
    auto fake = std::make_unique<FakeRedisClient>();
    FakeRedisClient& connected = *fake;
    client_ = std::move(fake);
    return connected;
  }
  // Adds a node and returns the count of its last heartbeat; 0 before the first.
  std::int64_t& Add(std::uint64_t id, std::int64_t at_first = 1, Nanos every = kEvery) {
    auto& heard = *heard_.emplace_back(std::make_unique<std::int64_t>(0));
    NodeCountSettings settings;
    settings.every = every;
    settings.dead_after = kDeadAfter;
    settings.at_first = at_first;
    nodes_.push_back(std::make_unique<NodeCount>(
        NodeCount::Parts{loop_, beats_, *client_, jitter_}, NodeId{id, 7}, settings,
        [this, &heard, every = settings.every](std::int64_t count) {
          heard = count;
          min_ = std::min(min_, count);
          beats_.Advance(every);
        }));
    return heard;
  }

  static constexpr milliseconds kEvery{4};
  static constexpr milliseconds kDeadAfter{40};

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  testing::FakeClock beats_;                                     // advances with each heartbeat
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();  // the lowest count received
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  std::vector<std::unique_ptr<std::int64_t>> heard_;
  std::vector<std::unique_ptr<NodeCount>> nodes_;
  std::unique_ptr<RedisClient> client_;  // destroyed first: answers commands in flight
};

// Invariant (1).
TEST_F(NodeCountTest, CountsNodesFromTheirFirstHeartbeatUntilTheyAreDead) {
  const auto server = testing::RedisServer::Start();
  ASSERT_NE(server, nullptr);
  const Time start{hours{24 * 365 * 50}};
  server->SetTime(start);
  Connect(UnixEndpoint{server->socket_path()});
  const std::int64_t& first = Add(1);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 1; }));
  // A node with a single heartbeat.
  testing::RedisClient other(server->socket_path());
  ASSERT_EQ(other.Number({"EVAL", NodesScript().text, "1", "sluice:nodes", "other", "40"}), 2);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 2; }));
  server->SetTime(start + kDeadAfter);
  EXPECT_EQ(other.Number({"EVAL", NodesScript().text, "1", "sluice:nodes", "third", "40"}), 3);
  server->SetTime(start + kDeadAfter + milliseconds{1});
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 2; }));
  // The clock is set back: nodes with later heartbeats are dropped.
  server->SetTime(start - seconds{10});
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 1; }));
  EXPECT_GT(other.Number({"PTTL", "sluice:nodes"}), 0);
}

// Invariant (2).
TEST_F(NodeCountTest, SendsNothingWhileAHeartbeatIsInFlight) {
  FakeRedisClient& fake = ConnectFake();
  Add(1);
  bool is_later = false;
  LoopTimer timer(loop_, [&] { is_later = true; });
  timer.SetAfter(5 * kEvery);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return is_later; }));
  EXPECT_EQ(fake.taken, 1);
  fake.Reply(":1\r\n");
  ASSERT_TRUE(LoopUntil(loop_, [&] { return fake.taken == 2; }));
}

TEST_F(NodeCountTest, CountsAnsweredAndFailedHeartbeats) {
  FakeRedisClient& fake = ConnectFake();
  Add(1);
  const NodeCount& node = *nodes_.front();
  const auto reply = [&](std::string_view resp) {
    fake.Reply(resp);
    return LoopUntil(loop_, [&] { return !fake.sent.empty(); });
  };
  ASSERT_TRUE(reply(":1\r\n"));
  EXPECT_EQ(node.beats_answered(), 1U);
  EXPECT_EQ(node.beats_failed(), 0U);
  ASSERT_TRUE(reply("-OOM command not allowed\r\n"));
  ASSERT_TRUE(reply(":2\r\n"));
  EXPECT_EQ(node.beats_answered(), 2U);
  EXPECT_EQ(node.beats_failed(), 1U);
  fake.refuses_from = 0;
  fake.Reply(":2\r\n");
  EXPECT_TRUE(LoopUntil(loop_, [&] { return node.beats_failed() >= 3; }));
  EXPECT_EQ(node.beats_answered(), 3U);
}

// Invariant (3). Heartbeats may be later than that, depending on the machine.
TEST_F(NodeCountTest, WaitsARandomTimeBetweenHeartbeats) {
  constexpr milliseconds kEveryHere{20};
  FakeRedisClient& fake = ConnectFake();
  RedisJitter jitter = jitter_;
  Add(1, 1, kEveryHere);
  Nanos waits{0};
  const Time begin = clock_->Now();
  for (int beat = 1; beat <= 10; ++beat) {
    fake.Reply(":1\r\n");
    EXPECT_TRUE(fake.sent.empty());
    waits += jitter.Between(kEveryHere / 2, kEveryHere);
    ASSERT_TRUE(LoopUntil(loop_, [&] { return !fake.sent.empty(); }));
    EXPECT_GE(clock_->Now() - begin, waits - waits / 1000) << "the clock may be slewed";
  }
  EXPECT_EQ(jitter_.Bits(), jitter.Bits()) << "each wait was drawn, and once";
}

TEST_F(NodeCountTest, StartsWithTheConfiguredCount) {
  const testing::RedisProcess server;
  Connect(TcpEndpoint{"127.0.0.1", server.port()});
  const std::int64_t& first = Add(1, 10);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first != 0; }));
  EXPECT_EQ(first, 10);
  EXPECT_TRUE(LoopUntil(loop_, [&] { return first == 1; }));
}

TEST_F(NodeCountTest, SendsAHeartbeatAtOnceAndEndsWithTheClient) {
  const testing::RedisProcess server;
  Connect(TcpEndpoint{"127.0.0.1", server.port()});
  const std::int64_t& first = Add(1);
  EXPECT_EQ(static_cast<RedisSingle&>(*client_).NodeForTest().under_way(), 1U);
  client_.reset();
  EXPECT_EQ(first, 0);
}

TEST_F(NodeCountTest, ContinuesAfterRedisWasAway) {
  testing::RedisProcess server;
  Connect(TcpEndpoint{"127.0.0.1", server.port()});
  std::int64_t& first = Add(1);
  const std::int64_t& second = Add(2);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 2 && second == 2; }));
  server.Kill();
  ASSERT_TRUE(LoopUntil(loop_, [&] { return counts_.connect_failures.ReadApprox() > 0; }));
  EXPECT_EQ(first, 2);
  first = 0;
  min_ = 2;
  server.Start();
  ASSERT_TRUE(LoopUntil(loop_, [&] { return first == 2; }));
  EXPECT_EQ(min_, 2) << "the first that was back believed that it is alone";
}

}  // namespace
}  // namespace sluice
