// What keys of several nodes, decided near them, promise whatever their consistency.
#include "remote/redis_nearby.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "support/random_limit.h"
#include "unit/remote/nearby_scene.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::NearbyScene;
using testing::NearbyWorld;
using testing::Random;

TEST(RedisNearbyTest, ReturnAllTellsWhenAllIsBack) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 200; ++step) {
    scene.Check(0, Nearness::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  ASSERT_GT(scene.UnitsLeased(), 0);
  NearbyWorld::Node& node = scene.world.node(0);
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
  // With nothing to give back, too.
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 2);
}

// A process that ends takes with it what it has not pushed.
TEST(RedisNearbyTest, ReturnAllPushesWhatIsPending) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, hours{1}}}, random);
  NearbyWorld::Node& node = scene.world.node(0);
  scene.Check(0, Nearness::kEventual, 1, nullptr);
  scene.world.RunFor(milliseconds{2});
  for (int i = 0; i < 20; ++i) scene.Check(0, Nearness::kEventual, 1, nullptr);
  ASSERT_EQ(node.shared.UnitsPendingForTest(), 20);
  node.keeps = false;
  node.near.SyncCounts();
  for (int i = 0; i < 10; ++i) scene.Check(0, Nearness::kEventual, 1, nullptr);
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

// Nobody waits for a remote that is away.
TEST(RedisNearbyTest, ReturnAllEndsThoughTheRemoteIsAway) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, hours{1}}}, random);
  scene.Check(0, Nearness::kEventual, 1, nullptr);
  scene.world.RunFor(milliseconds{2});
  for (int i = 0; i < 20; ++i) scene.Check(0, Nearness::kEventual, 1, nullptr);
  NearbyWorld::Node& node = scene.world.node(0);
  node.keeps = false;
  scene.world.weather.is_away = true;
  node.shared.Close();
  int returned = 0;
  node.near.ReturnAll([&] { ++returned; });
  node.Pump();
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(node.shared.UnitsPendingForTest(), 20);
}

// EmptyKeys (1) and (5), with every nearness.
TEST(RedisNearbyTest, AnEmptyKeyIsAskedForOnceASecond) {
  for (const Nearness nearness : {Nearness::kRefusals, Nearness::kLeased}) {
    Random random{7};
    NearbyScene scene({}, {.algorithm = Algorithm::kFixedWindow, .rate = Rate{10, hours{24}}},
                      random);
    for (int step = 0; step < 20'000; ++step) {
      scene.Check(0, nearness, 1, nullptr);
      scene.world.RunFor(milliseconds{1});
    }
    EXPECT_EQ(scene.allowed, 10);
    EXPECT_LT(scene.world.redis.calls, 50U);
  }
}

TEST(RedisNearbyTest, AKeyThatIsForgottenIsAskedForInRedis) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10, hours{1}}}, random);
  for (int step = 0; step < 20; ++step) {
    scene.Check(0, Nearness::kRefusals, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::size_t before = scene.world.redis.calls;
  scene.Check(0, Nearness::kRefusals, 1, nullptr);
  scene.world.RunFor(milliseconds{1});
  EXPECT_EQ(scene.world.redis.calls, before);
  for (const Operation operation : {Operation::kRefund, Operation::kReset}) {
    const std::size_t calls = scene.world.redis.calls;
    scene.world.node(0).near.Forget(NearbyScene::kKey, operation);
    scene.Check(0, Nearness::kRefusals, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
    EXPECT_EQ(scene.world.redis.calls, calls + 1);
  }
}

// Units that were charged stay so, whatever somebody else gives back.
TEST(RedisNearbyTest, ARefundLeavesLeasesWhereTheyAreAndAResetDoesNot) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 200; ++step) {
    scene.Check(0, Nearness::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::int64_t leased = scene.UnitsLeased();
  ASSERT_GT(leased, 0);
  scene.world.node(0).near.Forget(NearbyScene::kKey, Operation::kRefund);
  EXPECT_EQ(scene.UnitsLeased(), leased);
  scene.world.node(0).near.Forget(NearbyScene::kKey, Operation::kReset);
  EXPECT_EQ(scene.UnitsLeased(), 0);
}

// Purse (6).
TEST(RedisNearbyTest, AReturnThatIsUnderWayDuringAResetIsNotRepeated) {
  for (const bool is_reset : {false, true}) {
    Random random{7};
    NearbyScene scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
    for (int step = 0; step < 200; ++step) {
      scene.Check(0, Nearness::kLeased, 1, nullptr);
      scene.world.RunFor(milliseconds{1});
    }
    NearbyWorld::Node& node = scene.world.node(0);
    scene.world.weather.lost_calls_in_100 = 100;
    scene.world.weather.way_least = scene.world.weather.way_most = milliseconds{10};
    scene.terms->SetRetired(true);
    node.near.EndLeases();
    node.Pump();
    ASSERT_GT(node.shared.CallsUnderWay(), 0);
    scene.world.RunFor(milliseconds{1});
    if (is_reset) node.near.Forget(NearbyScene::kKey, Operation::kReset);
    scene.world.RunFor(milliseconds{20});
    ASSERT_EQ(node.shared.CallsUnderWay(), 0);
    EXPECT_EQ(scene.UnitsLeased() == 0, is_reset);
  }
}

TEST(RedisNearbyTest, CountsUnitsOfLeasesWhoseReplyIsLost) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  NearbyWorld::Node& node = scene.world.node(0);
  for (int step = 0; step < 3; ++step) {
    scene.Check(0, Nearness::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{2});
  }
  EXPECT_EQ(node.shared.LostApprox().leases, 0U);
  // The check that asks for a lease is answered, and the lease is not.
  scene.Check(0, Nearness::kLeased, 1, nullptr);
  while (node.shared.CallsUnderWay() == 0) scene.world.RunFor(std::chrono::microseconds{10});
  scene.world.weather.lost_replies_in_100 = 100;
  scene.world.RunFor(milliseconds{5});
  const RedisNearby::Lost lost = node.shared.LostApprox();
  EXPECT_EQ(lost.leases, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(lost.lease_units), scene.world.redis.charged - scene.units);
  EXPECT_EQ(lost.returns, 0U);
}

TEST(RedisNearbyTest, CountsUnitsOfReturnsWhoseReplyIsLost) {
  Random random{7};
  NearbyScene scene({}, {.rate = Rate{10'000, minutes{1}}}, random);
  for (int step = 0; step < 50; ++step) {
    scene.Check(0, Nearness::kLeased, 1, nullptr);
    scene.world.RunFor(milliseconds{1});
  }
  const std::int64_t leased = scene.UnitsLeased();
  ASSERT_GT(leased, 0);
  scene.world.weather.lost_replies_in_100 = 100;
  scene.world.RunFor(std::chrono::seconds{2});
  const RedisNearby::Lost lost = scene.world.node(0).shared.LostApprox();
  EXPECT_GE(lost.returns, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(lost.return_units), leased);
}

// EventualView: a state of many buckets is memory, too.
TEST(RedisNearbyTest, TablesTakeNoMoreBytesThanTheyMay) {
  constexpr std::int64_t kBytesMax = std::int64_t{4} << 20U;
  RedisNearbySettings settings;
  settings.bytes_max = kBytesMax;
  Random random{7};
  NearbyWorld world({.settings = settings}, random);
  NearbyWorld::Node& node = world.node(0);
  LimitSpec spec{.algorithm = Algorithm::kSlidingBuckets, .rate = Rate{1000, hours{1}}};
  spec.buckets = 1000;
  const auto terms = testing::TermsOf(spec);
  int admitted = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      RemoteItem item;
      item.terms = terms;
      item.key = {.high = i << 52U, .low = i};
      node.Check(item, Nearness::kEventual, [&](const std::optional<Decision>& decision) {
        admitted += decision && decision->allowed ? 1 : 0;
      });
    }
    world.RunFor(milliseconds{20});
  }
  EXPECT_EQ(admitted, 4000);
  const RedisNearby::TableBytes bytes = node.shared.BytesApprox();
  EXPECT_LE(bytes.eventual, kBytesMax / 2);
  EXPECT_GT(bytes.eventual, kBytesMax / 4);
  // Each of them has 8 KB of buckets.
  EXPECT_GT(node.decided_here, 0U);
  EXPECT_LE(node.decided_here, static_cast<std::size_t>(kBytesMax / 2 / 8000));
}

}  // namespace
}  // namespace sluice
