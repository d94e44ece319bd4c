#include "remote/fleet/eviction_watch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "support/redis_process.h"
#include "unit/redis/fake_redis_client.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

std::string InfoOf(std::string_view run_id, std::string_view policy, int evicted) {
  const std::string text = Concat(
      "# Server\r\nrun_id:", run_id, "\r\n\r\n# Memory\r\nmaxmemory:1000\r\n",
      "maxmemory_human:1K\r\nmaxmemory_policy:", policy, "\r\nevicted_keys:", evicted, "\r\n");
  return Concat("$", text.size(), "\r\n", text, "\r\n");
}

class EvictionWatchTest : public ::testing::Test {
 protected:
  void Begin(RedisClient& client, Nanos every) {
    watch_ = std::make_unique<EvictionWatch>(
        EvictionWatch::Parts{loop_, client, jitter_}, every,
        EvictionWatch::Owner{.on_look =
                                 [this](const EvictionSample& look) {
                                   sights_.push_back(look.sight);
                                   evicted_ += look.evicted;
                                   parts_.push_back(look.part);
                                 },
                             .on_forbidden = [this] { ++forbidden_; }});
  }
  // Waits for the timer that the last poll set.
  bool UntilAsked() {
    return LoopUntil(loop_, [this] { return !fake_.sent.empty(); });
  }

  EventLoop loop_;
  RedisJitter jitter_{7};
  FakeRedisClient fake_;
  std::vector<MemoryInfo> sights_;
  std::uint64_t evicted_ = 0;
  std::vector<std::uint16_t> parts_;
  int forbidden_ = 0;
  std::unique_ptr<EvictionWatch> watch_;
};

TEST_F(EvictionWatchTest, DetectsAServerThatMayEvict) {
  EXPECT_TRUE((MemoryInfo{"a", "volatile-ttl", 1, 0}).may_evict());
  EXPECT_FALSE((MemoryInfo{"a", "noeviction", 1, 0}).may_evict());
  EXPECT_FALSE((MemoryInfo{"a", "allkeys-lru", 0, 0}).may_evict());
  EXPECT_FALSE(ParseMemoryInfo("maxmemory:1\r\nevicted_keys:2\r\nrun_id:a\r\n").has_value());
  EXPECT_FALSE(ParseMemoryInfo("").has_value());
}

// Invariant (1).
TEST_F(EvictionWatchTest, SendsNothingWhileAPollIsInFlight) {
  constexpr milliseconds kEvery{2};
  Begin(fake_, kEvery);
  bool is_later = false;
  LoopTimer timer(loop_, [&] { is_later = true; });
  timer.SetAfter(5 * kEvery);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return is_later; }));
  EXPECT_EQ(fake_.taken, 1);
  fake_.Reply(InfoOf("a", "x", 0));
  ASSERT_TRUE(UntilAsked());
  EXPECT_EQ(fake_.taken, 2);
}

// Invariant (2).
TEST_F(EvictionWatchTest, CountsEvictionsOncePerServer) {
  Begin(fake_, milliseconds{2});
  const std::vector<std::string> replies = {InfoOf("a", "allkeys-lru", 5), InfoOf("a", "x", 7),
                                            InfoOf("b", "x", 100),         InfoOf("a", "x", 8),
                                            InfoOf("b", "x", 100),         InfoOf("c", "x", 1)};
  for (const std::string& reply : replies) {
    ASSERT_TRUE(UntilAsked());
    fake_.Reply(reply);
  }
  ASSERT_EQ(sights_.size(), 6U);
  EXPECT_EQ(sights_[0].policy, "allkeys-lru");
  EXPECT_TRUE(sights_[0].may_evict());
  EXPECT_EQ(evicted_, 3U);
}

TEST_F(EvictionWatchTest, PollsAllPartsOfAClusterInTurn) {
  Begin(fake_, milliseconds{2});
  std::vector<std::uint16_t> slots;
  for (int i = 0; i < 17; ++i) {
    ASSERT_TRUE(UntilAsked());
    slots.push_back(fake_.sent.front().command->slot);
    fake_.Reply(InfoOf("a", "x", 0));
  }
  EXPECT_EQ(slots[1], 1024);
  EXPECT_EQ(slots[15], 15 * 1024);
  EXPECT_EQ(slots[16], 0);
  EXPECT_EQ(parts_[15], 15);
  EXPECT_EQ(parts_[16], 0);
}

// Invariant (4).
TEST_F(EvictionWatchTest, SkipsAPartThatCannotBePolled) {
  Begin(fake_, milliseconds{2});
  ASSERT_TRUE(UntilAsked());
  fake_.Reply("-CLUSTERDOWN Hash slot not served\r\n");
  ASSERT_TRUE(UntilAsked());
  EXPECT_EQ(fake_.sent.front().command->slot, 1024);
  fake_.Reply(InfoOf("a", "x", 0));
  EXPECT_EQ(parts_, std::vector<std::uint16_t>{1});
}

// Invariant (3).
TEST_F(EvictionWatchTest, ReportsAMissingPermissionOnceAndRetries) {
  Begin(fake_, milliseconds{2});
  for (int round = 0; round < 2; ++round) {
    fake_.Reply("-NOPERM this user has no permissions to run the 'info' command\r\n");
    ASSERT_TRUE(UntilAsked());
  }
  EXPECT_EQ(forbidden_, 1);
  fake_.Reply(InfoOf("a", "x", 0));
  EXPECT_EQ(sights_.size(), 1U);
}

TEST_F(EvictionWatchTest, CountsTheEvictionsOfARealServer) {
  const testing::RedisProcess server({"--maxmemory-policy", "allkeys-lru"});
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  NameLookup names;
  RedisCounts counts;
  RedisSingle client(RedisParts{{loop_, *clock}, names, counts, jitter_},
                     TcpEndpoint{"127.0.0.1", server.port()}, RedisNodeSettings{});
  Begin(client, milliseconds{4});
  ASSERT_TRUE(LoopUntil(loop_, [this] { return !sights_.empty(); }));
  EXPECT_FALSE(sights_.back().may_evict());
  EXPECT_EQ(server.Call("MSET a 1 b 2 c 3"), "OK");
  EXPECT_EQ(server.Call("CONFIG SET maxmemory 1"), "OK");
  ASSERT_TRUE(LoopUntil(loop_, [this] { return evicted_ == 3; }));
  EXPECT_TRUE(sights_.back().may_evict());
}

}  // namespace
}  // namespace sluice
