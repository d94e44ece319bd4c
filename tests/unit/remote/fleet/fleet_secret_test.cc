#include "remote/fleet/fleet_secret.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "support/redis_process.h"
#include "unit/redis/fake_redis_client.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using testing::RedisProcess;

class FleetSecretTest : public ::testing::Test {
 protected:
  void Connect(const RedisProcess& server) {
    client_ =
        std::make_unique<RedisSingle>(RedisParts{{loop_, *clock_}, names_, counts_, jitter_},
                                      TcpEndpoint{"127.0.0.1", server.port()}, RedisNodeSettings{});
  }
  void Ask(std::uint64_t proposal) {
    const FleetSecret secret{.first = {proposal, 1}, .second = {2, proposal}};
    sources_.push_back(std::make_unique<FleetSecretSource>(
        FleetSecretSource::Parts{loop_, *client_, jitter_}, "sluice:", secret,
        [this](const FleetSecret& found) { found_.push_back(found); }));
  }
  bool UntilFound(std::size_t count) {
    return LoopUntil(loop_, [this, count] { return found_.size() >= count; });
  }

  EventLoop loop_;
  std::unique_ptr<Clock> clock_ = MakeSystemClock();
  NameLookup names_;
  RedisCounts counts_;
  RedisJitter jitter_{7};
  std::vector<FleetSecret> found_;
  std::vector<std::unique_ptr<FleetSecretSource>> sources_;
  std::unique_ptr<RedisClient> client_;  // destroyed first: answers commands in flight
};

TEST(FleetSecretOfTest, IsTheSha256OfTheText) {
  // The digest of "abc" from FIPS 180-2.
  const FleetSecret secret = FleetSecretOf("abc");
  EXPECT_EQ(secret.first.low, 0xba7816bf8f01cfeaU);
  EXPECT_EQ(secret.first.high, 0x414140de5dae2223U);
  EXPECT_EQ(secret.second.low, 0xb00361a396177a9cU);
  EXPECT_EQ(secret.second.high, 0xb410ff61f20015adU);
}

// Invariants (1) and (2).
TEST_F(FleetSecretTest, GivesAllNodesTheSecretOfTheFirst) {
  const RedisProcess server;
  Connect(server);
  for (std::uint64_t i = 1; i <= 5; ++i) Ask(i);
  ASSERT_TRUE(UntilFound(5));
  for (const FleetSecret& found : found_) EXPECT_EQ(found, found_.front());
  EXPECT_EQ(server.Call("TTL sluice:secret"), "-1");
  Ask(6);
  ASSERT_TRUE(UntilFound(6));
  EXPECT_EQ(found_.back(), found_.front());
  EXPECT_EQ(found_.size(), 6U);
}

TEST_F(FleetSecretTest, UsesTheProposalIfRedisHasNoSecret) {
  for (std::uint64_t i = 1; i <= 2; ++i) {
    const RedisProcess server;
    Connect(server);
    Ask(i);
    ASSERT_TRUE(UntilFound(i));
    client_.reset();
    sources_.clear();
  }
  EXPECT_NE(found_[0], found_[1]);
}

TEST_F(FleetSecretTest, RetriesUntilRedisIsThere) {
  RedisProcess server;
  server.Kill();
  Connect(server);
  Ask(1);
  ASSERT_TRUE(LoopUntil(loop_, [&] { return counts_.connect_failures.ReadApprox() >= 2; }));
  EXPECT_TRUE(found_.empty());
  server.Start();
  ASSERT_TRUE(UntilFound(1));
}

TEST_F(FleetSecretTest, OffersTheSecretInUseToARedisThatLostIt) {
  const RedisProcess server;
  Connect(server);
  Ask(1);
  ASSERT_TRUE(UntilFound(1));
  const std::string text = server.Call("GET sluice:secret");
  ASSERT_EQ(server.Call("FLUSHALL"), "OK");
  ASSERT_TRUE(LoopUntil(loop_, [&] { return server.Call("GET sluice:secret") == text; }));
  EXPECT_EQ(found_.size(), 1U);
}

TEST_F(FleetSecretTest, AdoptsTheSecretOfAnotherNode) {
  const RedisProcess server;
  Connect(server);
  Ask(1);
  ASSERT_TRUE(UntilFound(1));
  ASSERT_EQ(server.Call("SET sluice:secret another"), "OK");
  ASSERT_TRUE(UntilFound(2));
  EXPECT_EQ(found_.back(), FleetSecretOf("another"));
}

// Invariant (3).
TEST_F(FleetSecretTest, AdoptsASecretAfterTwoEqualPolls) {
  auto client = std::make_unique<FakeRedisClient>();
  FakeRedisClient& redis = *client;
  client_ = std::move(client);
  Ask(1);
  redis.Reply("+OK\r\n");
  redis.Reply("$1\r\nb\r\n");
  redis.Reply("$1\r\na\r\n");
  EXPECT_TRUE(found_.empty());
  redis.Reply("$1\r\na\r\n");
  EXPECT_EQ(found_, std::vector{FleetSecretOf("a")});
  EXPECT_TRUE(redis.sent.empty());
}

}  // namespace
}  // namespace sluice
