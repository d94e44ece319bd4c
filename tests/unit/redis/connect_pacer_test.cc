#include "redis/connect_pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "redis/redis_node.h"
#include "support/own_port.h"
#include "unit/redis/loop_until.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;

// Invariant (1).
TEST(ConnectPacerTest, SpacesAttemptsAtOneServer) {
  ConnectPacer pacer(milliseconds{20});
  const Time now{std::chrono::hours{1}};
  EXPECT_EQ(pacer.Reserve("a", Nanos{0}, now), Nanos{0});
  EXPECT_EQ(pacer.Reserve("a", Nanos{0}, now), milliseconds{20});
  EXPECT_EQ(pacer.Reserve("a", milliseconds{100}, now), milliseconds{100});
  EXPECT_EQ(pacer.Reserve("a", milliseconds{30}, now), milliseconds{120});
  EXPECT_EQ(pacer.Reserve("b", Nanos{0}, now), Nanos{0});
  EXPECT_EQ(pacer.Reserve("a", Nanos{0}, now + milliseconds{200}), Nanos{0});
}

// Invariant (2).
TEST(ConnectPacerTest, RemembersTheServersOfTheLatestAttempts) {
  ConnectPacer pacer(milliseconds{20});
  Time now{std::chrono::hours{1}};
  for (std::size_t i = 0; i <= ConnectPacer::kServersMax; ++i) {
    now += Nanos{1};
    EXPECT_EQ(pacer.Reserve(std::to_string(i), Nanos{0}, now), Nanos{0});
  }
  EXPECT_EQ(pacer.Reserve("0", Nanos{0}, now), Nanos{0});
  EXPECT_GT(pacer.Reserve("1000", Nanos{0}, now), Nanos{0});
}

// RedisNode invariant (3), for all workers of a process together.
TEST(ConnectPacerTest, PacesReconnectsOfAllNodesOfAProcess) {
  constexpr std::size_t kWorkers = 20;
  EventLoop loop;
  const std::unique_ptr<Clock> clock = MakeSystemClock();
  NameLookup names;
  RedisCounts counts;
  RedisJitter jitter{7};
  ConnectPacer pacer(milliseconds{20});
  RedisNodeSettings settings;
  settings.reconnect = {.min = milliseconds{1}, .first = milliseconds{1}, .max = milliseconds{1}};
  const testing::OwnPort port;  // no server listens
  const Time begin = clock->Now();
  std::vector<std::unique_ptr<RedisNode>> nodes;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    nodes.push_back(
        std::make_unique<RedisNode>(RedisParts{{loop, *clock}, names, counts, jitter, &pacer},
                                    TcpEndpoint{"127.0.0.1", port.number()}, settings));
  }
  ASSERT_TRUE(LoopUntil(loop, [&] { return clock->Now() - begin > milliseconds{500}; }));
  const auto spaced = static_cast<std::size_t>((clock->Now() - begin) / milliseconds{20});
  EXPECT_LE(counts.connect_failures.ReadApprox(), kWorkers + spaced + 1);
  EXPECT_GT(counts.connect_failures.ReadApprox(), kWorkers);
  nodes.clear();
}

}  // namespace
}  // namespace sluice
