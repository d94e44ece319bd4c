// Bounds of background calls with many keys on one node.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/cache/redis_cache.h"
#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Random;
using testing::RedisCacheEnvironment;
using testing::TermsOf;

// Several keys of one limit, and their admitted units.
class ManyKeys {
 public:
  explicit ManyKeys(std::size_t keys, const RedisCacheSettings& settings = {})
      : world({.settings = settings}, random) {
    const auto terms = TermsOf({.rate = Rate{100'000, hours{1000}}});
    for (std::size_t i = 0; i < keys; ++i) {
      RemoteItem& item = items.emplace_back();
      item.terms = terms;
      item.key = {.high = i << 52U, .low = i};
    }
  }
  ManyKeys(const ManyKeys&) = delete;
  ManyKeys& operator=(const ManyKeys&) = delete;
  ~ManyKeys() = default;

  // Checks every key once, all at the same time.
  void CheckAll(CacheMode cache_mode) {
    for (const RemoteItem& item : items) {
      node.Check(item, cache_mode, [this](const std::optional<Decision>& decision) {
        if (decision && decision->allowed) ++units;
      });
    }
  }

  std::vector<RemoteItem> items;
  std::int64_t units = 0;
  Random random{7};
  RedisCacheEnvironment world;
  RedisCacheEnvironment::Node& node = world.node(0);
};

// Maximum number of background calls per task: commands of callers queue behind them, and the
// capacity of the connection is limited.
constexpr std::int64_t kMaxUnderWay = 256;

// RedisCacheWorker (1).
TEST(CacheManyKeysTest, SyncsManyKeysInBatches) {
  ManyKeys many(5000);
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(CacheMode::kEventual);
  ASSERT_EQ(many.node.decided_here, 5000U);
  many.world.RunFor(milliseconds{200});
  EXPECT_EQ(many.node.shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.max_in_flight_seen, kMaxUnderWay + 1);
}

// RedisCacheWorker (1).
TEST(CacheManyKeysTest, ReturnsLeasesOfManyKeysInBatches) {
  ManyKeys many(3000);
  for (int round = 0; round < 30; ++round) {
    many.CheckAll(CacheMode::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  ASSERT_GT(many.node.shared.UnitsLeasedForTest(), 2000);
  many.world.RunFor(seconds{2});
  EXPECT_EQ(many.node.shared.UnitsLeasedForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.max_in_flight_seen, 2 * kMaxUnderWay + 1);
}

// Missed deadlines would open the breaker of a Redis node.
TEST(CacheManyKeysTest, MissesNoDeadlineBecauseOfQueuedSyncs) {
  ManyKeys many(50, {.sync_interval = milliseconds{400}});
  many.world.weather.min_way = milliseconds{30};
  many.world.weather.max_way = milliseconds{40};
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{85});
  many.CheckAll(CacheMode::kEventual);
  ASSERT_EQ(many.node.decided_here, 50U);
  many.world.RunFor(milliseconds{500});
  EXPECT_GE(many.world.redis.calls, 100U);
  EXPECT_EQ(many.node.overdue, 0U);
}

// Rejected calls take time, too, so they must not all be repeated at once.
TEST(CacheManyKeysTest, RetriesSyncsInPartsWhileTheRemoteIsAway) {
  ManyKeys many(10'000);
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(CacheMode::kEventual);
  ASSERT_EQ(many.node.decided_here, 10'000U);
  many.world.weather.is_away = true;
  many.node.near.SyncCounts();
  many.node.Pump();
  EXPECT_GT(many.node.not_taken, 4000U);
  EXPECT_LE(many.node.not_taken, 4096U + 256U);
  many.world.RunFor(milliseconds{200});
  many.CheckAll(CacheMode::kEventual);
  EXPECT_EQ(many.node.decided_here, 20'000U);
  many.world.weather.is_away = false;
  many.world.RunFor(milliseconds{200});
  EXPECT_EQ(many.node.shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
}

// Measures the maximum number of a node's rejected calls in one loop round.
class Rounds final : private EventLoop::Watcher {
 public:
  Rounds(RedisCacheEnvironment::Node& node, int rounds) : node_(node), left_(rounds) {
    node.loop.Again(*this);
    node.Pump();
  }
  [[nodiscard]] std::size_t max() const { return max_; }

 private:
  void OnReady(const EventLoop::Readiness& /*ready*/) override {}
  void OnAgain() override {
    max_ = std::max(max_, node_.not_taken - seen_);
    seen_ = node_.not_taken;
    if (--left_ > 0) node_.loop.Again(*this);
  }

  RedisCacheEnvironment::Node& node_;
  int left_;
  std::size_t seen_ = node_.not_taken;
  std::size_t max_ = 0;
};

// RedisCacheWorker (3): callers of the worker are waiting.
TEST(CacheManyKeysTest, RetriesReturnsInPartsAtShutdown) {
  ManyKeys many(3000);
  for (int round = 0; round < 30; ++round) {
    many.CheckAll(CacheMode::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  many.world.weather.is_away = true;
  many.node.shared.Close();
  many.node.near.ReturnAll([] {});
  const Rounds rounds(many.node, 100);
  EXPECT_GT(many.node.not_taken, 2000U);
  EXPECT_LE(rounds.max(), 256U);
}

// Leases of several keys, each with units left.
class LeasedKeys : public ManyKeys {
 public:
  explicit LeasedKeys(std::size_t keys) : ManyKeys(keys) {
    for (int round = 0; round < 30; ++round) {
      CheckAll(CacheMode::kLeased);
      world.RunFor(milliseconds{2});
    }
  }

  // Counts the keys whose units have not been returned.
  std::size_t Leased() {
    std::size_t leased = 0;
    Decision decision;
    for (const RemoteItem& item : items) {
      const bool is_here = node.near.Take(item, CacheMode::kLeased, world.now(), decision) ==
                           NodeCache::Answer::kDecided;
      if (!is_here) continue;
      ++leased;
      ++units;
    }
    return leased;
  }
};

constexpr std::size_t kLeasedKeys = 1000;
constexpr std::size_t kRetiredPerLook = 64;

// RedisCacheWorker (4).
TEST(CacheManyKeysTest, KeepsLeasesOfCurrentTermsAfterAReload) {
  LeasedKeys many(kLeasedKeys);
  many.items.front().terms->SetRetired(false);
  const std::size_t before = many.world.redis.calls;
  many.world.RunFor(milliseconds{50});
  EXPECT_EQ(many.world.redis.calls, before);
  EXPECT_EQ(many.Leased(), kLeasedKeys);
}

// RedisCacheWorker (4).
TEST(CacheManyKeysTest, ReturnsLeasesOfRetiredTermsInParts) {
  LeasedKeys many(kLeasedKeys);
  const std::int64_t leased = many.node.shared.UnitsLeasedForTest();
  ASSERT_GT(leased, 0);
  many.items.front().terms->SetRetired(true);
  std::size_t returned = 0;
  for (int look = 0; many.node.shared.UnitsLeasedForTest() > 0; ++look) {
    ASSERT_LT(look, 17);
    const std::size_t before = many.world.redis.calls;
    many.world.RunFor(milliseconds{10});
    EXPECT_LE(many.world.redis.calls - before, kRetiredPerLook);
    returned += many.world.redis.calls - before;
  }
  many.world.RunFor(milliseconds{2});
  EXPECT_GE(returned, kLeasedKeys - kRetiredPerLook);
  EXPECT_EQ(many.world.redis.charged, many.units);
}

// RedisCacheWorker (4): a lease that ends before its turn still waits for it.
TEST(CacheManyKeysTest, ReturnsEndedLeasesOfRetiredTermsInParts) {
  LeasedKeys many(kLeasedKeys);
  many.items.front().terms->SetRetired(true);
  many.node.keeps = false;
  many.world.RunFor(seconds{2});
  const std::size_t before = many.world.redis.calls;
  many.node.near.EndLeases();
  many.node.Pump();
  many.world.RunFor(milliseconds{2});
  EXPECT_EQ(many.world.redis.calls - before, kRetiredPerLook);
}

// RedisCacheWorker (4): a key is decided in Redis until its units are returned, and then leased
// again.
TEST(CacheManyKeysTest, LeasesKeysAgainUnderNewTerms) {
  LeasedKeys many(kLeasedKeys);
  const auto retired = many.items.front().terms;  // states of FakeRedis point to its limit
  retired->SetRetired(true);
  const auto terms = TermsOf({.rate = Rate{50'000, hours{1000}}});
  for (RemoteItem& item : many.items) item.terms = terms;
  for (int round = 0; round < 200; ++round) {
    many.CheckAll(CacheMode::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  EXPECT_EQ(many.Leased(), kLeasedKeys);
}

// RedisCacheWorker (3). Shutdown does not wait for a remote that is away.
TEST(CacheManyKeysTest, RetriesSyncsInPartsAndBrieflyAtShutdown) {
  ManyKeys many(10'000);
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(CacheMode::kEventual);
  many.world.weather.is_away = true;
  many.node.shared.Close();
  int returned = 0;
  many.node.near.ReturnAll([&] { ++returned; });
  const Rounds rounds(many.node, 100);
  EXPECT_EQ(returned, 1);
  EXPECT_GT(many.node.not_taken, 4000U);
  EXPECT_LE(many.node.not_taken, 4096U + 256U);
  EXPECT_LE(rounds.max(), 256U);
}

TEST(CacheManyKeysTest, PushesAllCountsAtShutdown) {
  ManyKeys many(10'000);
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(CacheMode::kEventual);
  many.node.keeps = false;
  many.node.shared.Close();
  int returned = 0;
  many.node.near.ReturnAll([&] { ++returned; });
  many.node.Pump();
  many.world.RunFor(milliseconds{100});
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.max_in_flight_seen, kMaxUnderWay);
}

// RedisCacheWorker (2).
TEST(CacheManyKeysTest, LosesNothingOfOtherKeysWhenACallIsLost) {
  ManyKeys many(20);
  many.CheckAll(CacheMode::kEventual);
  many.world.RunFor(milliseconds{2});
  many.node.lost = many.items[3].key;
  many.CheckAll(CacheMode::kEventual);
  ASSERT_EQ(many.node.decided_here, 20U);
  many.world.RunFor(milliseconds{100});
  EXPECT_EQ(many.world.redis.charged, many.units - 1);
}

}  // namespace
}  // namespace sluice
