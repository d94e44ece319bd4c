// RedisCache: guarantees for keys that several nodes decide locally, in every cache mode.
#include "remote/cache/redis_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "support/random_limit.h"
#include "unit/remote/cache/redis_cache_fixture.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::Random;
using testing::RedisCacheEnvironment;
using testing::RedisCacheFixture;

TEST(RedisCacheTest, CallsBackWhenReturnAllIsComplete) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 200; ++step) {
    scene.Check(0, CacheMode::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  ASSERT_GT(scene.UnitsLeased(), 0);
  RedisCacheEnvironment::Node& node = scene.world.node(0);
  node.keeps = false;
  node.shared.Close();
  int returned = 0;
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 0);
  EXPECT_EQ(scene.UnitsLeased(), 0);
  EXPECT_GT(node.shared.CallsUnderWay(), 0);
  scene.world.RunFor(milliseconds{5});
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(node.shared.CallsUnderWay(), 0);
  EXPECT_EQ(scene.world.redis.charged, scene.units);
  // Same with nothing to return.
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 2);
}

// A process that exits loses what it has not pushed.
TEST(RedisCacheTest, ReturnAllPushesPendingUnits) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, hours{1}}}, random);
  RedisCacheEnvironment::Node& node = scene.world.node(0);
  scene.Check(0, CacheMode::kEventual, 1, nullptr);
  scene.world.RunFor(milliseconds{2});
  for (int i = 0; i < 20; ++i) scene.Check(0, CacheMode::kEventual, 1, nullptr);
  ASSERT_EQ(node.shared.UnitsPendingForTest(), 20);
  node.keeps = false;
  node.near.SyncCounts();
  for (int i = 0; i < 10; ++i) scene.Check(0, CacheMode::kEventual, 1, nullptr);
  node.shared.Close();
  int returned = 0;
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 0);
  scene.world.RunFor(milliseconds{5});
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(node.shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(scene.world.redis.charged, scene.units);
}

// Shutdown does not wait for a remote that is away.
TEST(RedisCacheTest, ReturnAllEndsWhileTheRemoteIsAway) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, hours{1}}}, random);
  scene.Check(0, CacheMode::kEventual, 1, nullptr);
  scene.world.RunFor(milliseconds{2});
  for (int i = 0; i < 20; ++i) scene.Check(0, CacheMode::kEventual, 1, nullptr);
  RedisCacheEnvironment::Node& node = scene.world.node(0);
  node.keeps = false;
  scene.world.weather.is_away = true;
  node.shared.Close();
  int returned = 0;
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(node.shared.UnitsPendingForTest(), 20);
}

// DenyCache (1) and (5), in different cache modes.
TEST(RedisCacheTest, AsksRedisOncePerSecondAboutAnEmptyKey) {
  for (const CacheMode cache_mode : {CacheMode::kRefusals, CacheMode::kLeased}) {
    Random random{7};
    RedisCacheFixture scene({}, {.algorithm = Algorithm::kFixedWindow, .rate = Rate{10, hours{24}}},
                            random);
    for (int step = 0; step < 20'000; ++step) {
      scene.Check(0, cache_mode, 1, nullptr);
      scene.world.RunFor(milliseconds{1});
    }
    EXPECT_EQ(scene.allowed, 10);
    EXPECT_LT(scene.world.redis.calls, 50U);
  }
}

TEST(RedisCacheTest, AsksRedisAboutAForgottenKey) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10, hours{1}}}, random);
  for (int step = 0; step < 20; ++step) {
    scene.Check(0, CacheMode::kRefusals, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::size_t before = scene.world.redis.calls;
  scene.Check(0, CacheMode::kRefusals, 1, nullptr);
  scene.world.RunFor(milliseconds{1});
  EXPECT_EQ(scene.world.redis.calls, before);
  for (const Operation operation : {Operation::kRefund, Operation::kReset}) {
    const std::size_t calls = scene.world.redis.calls;
    scene.world.node(0).near.Forget(RedisCacheFixture::kKey, operation);
    scene.Check(0, CacheMode::kRefusals, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
    EXPECT_EQ(scene.world.redis.calls, calls + 1);
  }
}

// Charged units stay charged, whatever other callers refund.
TEST(RedisCacheTest, KeepsLeasesOnRefundAndDropsThemOnReset) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 200; ++step) {
    scene.Check(0, CacheMode::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::int64_t leased = scene.UnitsLeased();
  ASSERT_GT(leased, 0);
  scene.world.node(0).near.Forget(RedisCacheFixture::kKey, Operation::kRefund);
  EXPECT_EQ(scene.UnitsLeased(), leased);
  scene.world.node(0).near.Forget(RedisCacheFixture::kKey, Operation::kReset);
  EXPECT_EQ(scene.UnitsLeased(), 0);
}

// LeaseTable (6).
TEST(RedisCacheTest, DropsAReturnInFlightOnReset) {
  for (const bool is_reset : {false, true}) {
    Random random{7};
    RedisCacheFixture scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
    for (int step = 0; step < 200; ++step) {
      scene.Check(0, CacheMode::kLeased, 1, nullptr);
      scene.world.RunFor(milliseconds{1});
    }
    RedisCacheEnvironment::Node& node = scene.world.node(0);
    scene.world.weather.lost_calls_in_100 = 100;
    scene.world.weather.min_way = scene.world.weather.max_way = milliseconds{10};
    scene.terms->SetRetired(true);
    node.near.EndLeases();
    node.Pump();
    ASSERT_GT(node.shared.CallsUnderWay(), 0);
    scene.world.RunFor(milliseconds{1});
    if (is_reset) node.near.Forget(RedisCacheFixture::kKey, Operation::kReset);
    scene.world.RunFor(milliseconds{20});
    ASSERT_EQ(node.shared.CallsUnderWay(), 0);
    EXPECT_EQ(scene.UnitsLeased() == 0, is_reset);
  }
}

TEST(RedisCacheTest, CountsUnitsOfLostLeases) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  RedisCacheEnvironment::Node& node = scene.world.node(0);
  for (int step = 0; step < 3; ++step) {
    scene.Check(0, CacheMode::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{2});
  }
  EXPECT_EQ(node.shared.LostApprox().leases, 0U);
  // The check that requests the lease is answered, but the lease request is not.
  scene.Check(0, CacheMode::kLeased, 1, nullptr);
  while (node.shared.CallsUnderWay() == 0) scene.world.RunFor(std::chrono::microseconds{10});
  scene.world.weather.lost_replies_in_100 = 100;
  scene.world.RunFor(milliseconds{5});
  const RedisCache::Lost lost = node.shared.LostApprox();
  EXPECT_EQ(lost.leases, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(lost.lease_units), scene.world.redis.charged - scene.units);
  EXPECT_EQ(lost.returns, 0U);
}

TEST(RedisCacheTest, CountsUnitsOfLostReturns) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 50; ++step) {
    scene.Check(0, CacheMode::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::int64_t leased = scene.UnitsLeased();
  ASSERT_GT(leased, 0);
  scene.world.weather.lost_replies_in_100 = 100;
  scene.world.RunFor(std::chrono::seconds{2});
  const RedisCache::Lost lost = scene.world.node(0).shared.LostApprox();
  EXPECT_GE(lost.returns, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(lost.return_units), leased);
}

// EventualCounters: states with many buckets count as memory.
TEST(RedisCacheTest, BoundsTheMemoryOfItsTables) {
  constexpr std::int64_t kBytesMax = std::int64_t{4} << 20U;
  RedisCacheSettings settings;
  settings.bytes_max = kBytesMax;
  Random random{7};
  RedisCacheEnvironment world({.settings = settings}, random);
  RedisCacheEnvironment::Node& node = world.node(0);
  LimitSpec spec{.algorithm = Algorithm::kSlidingBuckets, .rate = Rate{1000, hours{1}}};
  spec.buckets = 1000;
  const auto terms = testing::TermsOf(spec);
  int admitted = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      RemoteItem item;
      item.terms = terms;
      item.key = {.high = i << 52U, .low = i};
      node.Check(item, CacheMode::kEventual, [&](const std::optional<Decision>& decision) {
        admitted += decision && decision->allowed ? 1 : 0;
      });
    }
    world.RunFor(milliseconds{20});
  }
  EXPECT_EQ(admitted, 4000);
  const RedisCache::TableBytes bytes = node.shared.BytesApprox();
  EXPECT_LE(bytes.eventual, kBytesMax / 2);
  EXPECT_GT(bytes.eventual, kBytesMax / 4);
  // Each key has 8 KB of buckets.
  EXPECT_GT(node.decided_here, 0U);
  EXPECT_LE(node.decided_here, static_cast<std::size_t>(kBytesMax / 2 / 8000));
}

}  // namespace
}  // namespace sluice
