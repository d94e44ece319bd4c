// Many keys of one node: what is asked for in the background keeps its bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/redis_nearby.h"
#include "unit/remote/nearby_world.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::NearbyWorld;
using testing::Random;
using testing::TermsOf;

// So many keys of one limit, and what of them was admitted.
class ManyKeys {
 public:
  explicit ManyKeys(std::size_t keys, const RedisNearbySettings& settings = {})
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

  // One check of every key, at once.
  void CheckAll(Nearness nearness) {
    for (const RemoteItem& item : items) {
      node.Check(item, nearness, [this](const std::optional<Decision>& decision) {
        if (decision && decision->allowed) ++units;
      });
    }
  }

  std::vector<RemoteItem> items;
  std::int64_t units = 0;
  Random random{7};
  NearbyWorld world;
  NearbyWorld::Node& node = world.node(0);
};

// Commands of callers wait behind them, and the connection takes only so many.
constexpr std::int64_t kUnderWayMost = 256;

// RedisNearbyWorker (1).
TEST(NearbyManyKeysTest, SyncsOfManyKeysFollowEachOther) {
  ManyKeys many(5000);
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(Nearness::kEventual);
  ASSERT_EQ(many.node.decided_here, 5000U);
  many.world.RunFor(milliseconds{200});
  EXPECT_EQ(many.node.shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.most_under_way, kUnderWayMost + 1);
}

// RedisNearbyWorker (1).
TEST(NearbyManyKeysTest, ReturnsOfManyKeysFollowEachOther) {
  ManyKeys many(3000);
  for (int round = 0; round < 30; ++round) {
    many.CheckAll(Nearness::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  ASSERT_GT(many.node.shared.UnitsLeasedForTest(), 2000);
  many.world.RunFor(seconds{2});
  EXPECT_EQ(many.node.shared.UnitsLeasedForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.most_under_way, 2 * kUnderWayMost + 1);
}

// A node of Redis at which deadlines pass is not asked for a while.
TEST(NearbyManyKeysTest, NoDeadlinePassesBecauseOfWhatWaits) {
  ManyKeys many(50, {.sync_interval = milliseconds{400}});
  many.world.weather.way_least = milliseconds{30};
  many.world.weather.way_most = milliseconds{40};
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{85});
  many.CheckAll(Nearness::kEventual);
  ASSERT_EQ(many.node.decided_here, 50U);
  many.world.RunFor(milliseconds{500});
  EXPECT_GE(many.world.redis.calls, 100U);
  EXPECT_EQ(many.node.overdue, 0U);
}

// What cannot be sent costs time, too: not all of it is tried again at once.
TEST(NearbyManyKeysTest, WhileTheRemoteIsAwaySyncsAreTriedInParts) {
  ManyKeys many(10'000);
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(Nearness::kEventual);
  ASSERT_EQ(many.node.decided_here, 10'000U);
  many.world.weather.is_away = true;
  many.node.near.SyncCounts();
  many.node.Pump();
  EXPECT_GT(many.node.not_taken, 4000U);
  EXPECT_LE(many.node.not_taken, 4096U + 256U);
  many.world.RunFor(milliseconds{200});
  many.CheckAll(Nearness::kEventual);
  EXPECT_EQ(many.node.decided_here, 20'000U);
  many.world.weather.is_away = false;
  many.world.RunFor(milliseconds{200});
  EXPECT_EQ(many.node.shared.UnitsPendingForTest(), 0);
  EXPECT_EQ(many.world.redis.charged, many.units);
}

// How many calls of a node are tried in vain in one round of its loop, at most.
class Rounds final : private EventLoop::Watcher {
 public:
  Rounds(NearbyWorld::Node& node, int rounds) : node_(node), left_(rounds) {
    node.loop.Again(*this);
    node.Pump();
  }
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  void OnReady(const EventLoop::Readiness& /*ready*/) override {}
  void OnAgain() override {
    most_ = std::max(most_, node_.not_taken - seen_);
    seen_ = node_.not_taken;
    if (--left_ > 0) node_.loop.Again(*this);
  }

  NearbyWorld::Node& node_;
  int left_;
  std::size_t seen_ = node_.not_taken;
  std::size_t most_ = 0;
};

// RedisNearbyWorker (3): callers of the worker wait meanwhile.
TEST(NearbyManyKeysTest, AtTheEndLeasesAreTriedInParts) {
  ManyKeys many(3000);
  for (int round = 0; round < 30; ++round) {
    many.CheckAll(Nearness::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  many.world.weather.is_away = true;
  many.node.shared.Close();
  many.node.near.ReturnAll([] {});
  const Rounds rounds(many.node, 100);
  EXPECT_GT(many.node.not_taken, 2000U);
  EXPECT_LE(rounds.most(), 256U);
}

// Leases of so many keys, of which each has units left.
class LeasedKeys : public ManyKeys {
 public:
  explicit LeasedKeys(std::size_t keys) : ManyKeys(keys) {
    for (int round = 0; round < 30; ++round) {
      CheckAll(Nearness::kLeased);
      world.RunFor(milliseconds{2});
    }
  }

  // Keys whose units have not gone back.
  std::size_t Leased() {
    std::size_t leased = 0;
    Decision decision;
    for (const RemoteItem& item : items) {
      const bool is_here = node.near.Take(item, Nearness::kLeased, world.now(), decision) ==
                           Nearby::Answer::kDecided;
      if (!is_here) continue;
      ++leased;
      ++units;
    }
    return leased;
  }
};

constexpr std::size_t kLeasedKeys = 1000;
constexpr std::size_t kRetiredPerLook = 64;

// RedisNearbyWorker (4).
TEST(NearbyManyKeysTest, LeasesOfTermsInForceStayOverAReload) {
  LeasedKeys many(kLeasedKeys);
  many.items.front().terms->SetRetired(false);
  const std::size_t before = many.world.redis.calls;
  many.world.RunFor(milliseconds{50});
  EXPECT_EQ(many.world.redis.calls, before);
  EXPECT_EQ(many.Leased(), kLeasedKeys);
}

// RedisNearbyWorker (4).
TEST(NearbyManyKeysTest, LeasesOfRetiredTermsGoBackInParts) {
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

// RedisNearbyWorker (4): what ends while it waits for its turn waits on.
TEST(NearbyManyKeysTest, LeasesOfRetiredTermsThatEndGoBackInPartsToo) {
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

// RedisNearbyWorker (4): a key is decided in Redis until its units are back, then leased again.
TEST(NearbyManyKeysTest, KeysAreLeasedAgainUnderNewTerms) {
  LeasedKeys many(kLeasedKeys);
  const auto retired = many.items.front().terms;  // states of FakeRedis view its limit
  retired->SetRetired(true);
  const auto terms = TermsOf({.rate = Rate{50'000, hours{1000}}});
  for (RemoteItem& item : many.items) item.terms = terms;
  for (int round = 0; round < 200; ++round) {
    many.CheckAll(Nearness::kLeased);
    many.world.RunFor(milliseconds{2});
  }
  EXPECT_EQ(many.Leased(), kLeasedKeys);
}

// RedisNearbyWorker (3), and nobody waits for what is in vain.
TEST(NearbyManyKeysTest, AtTheEndCountsAreTriedInPartsAndNotForLong) {
  ManyKeys many(10'000);
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(Nearness::kEventual);
  many.world.weather.is_away = true;
  many.node.shared.Close();
  int returned = 0;
  many.node.near.ReturnAll([&] { ++returned; });
  const Rounds rounds(many.node, 100);
  EXPECT_EQ(returned, 1);
  EXPECT_GT(many.node.not_taken, 4000U);
  EXPECT_LE(many.node.not_taken, 4096U + 256U);
  EXPECT_LE(rounds.most(), 256U);
}

TEST(NearbyManyKeysTest, AtTheEndAllCountsArePushed) {
  ManyKeys many(10'000);
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{2});
  many.CheckAll(Nearness::kEventual);
  many.node.keeps = false;
  many.node.shared.Close();
  int returned = 0;
  many.node.near.ReturnAll([&] { ++returned; });
  many.node.Pump();
  many.world.RunFor(milliseconds{100});
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(many.world.redis.charged, many.units);
  EXPECT_LE(many.node.most_under_way, kUnderWayMost);
}

// RedisNearbyWorker (2).
TEST(NearbyManyKeysTest, AKeyThatGetsLostLosesNothingOfOthers) {
  ManyKeys many(20);
  many.CheckAll(Nearness::kEventual);
  many.world.RunFor(milliseconds{2});
  many.node.lost = many.items[3].key;
  many.CheckAll(Nearness::kEventual);
  ASSERT_EQ(many.node.decided_here, 20U);
  many.world.RunFor(milliseconds{100});
  EXPECT_EQ(many.world.redis.charged, many.units - 1);
}

}  // namespace
}  // namespace sluice
