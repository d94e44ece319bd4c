// Leases of several nodes around one Redis, in random traces: what they guarantee together.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/algorithm/aligned.h"
#include "remote/cache/redis_cache.h"
#include "support/random_limit.h"
#include "unit/remote/cache/redis_cache_fixture.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Random;
using testing::RandomLeasable;
using testing::RandomPlan;
using testing::RandomWeather;
using testing::RedisCacheEnvironment;
using testing::RedisCacheFixture;
using testing::Traffic;

// LeaseTable (1): counted when units are taken, no more is admitted than Redis charged.
TEST(CacheLeasesTest, ChargesUnitsBeforeTheyAreSpent) {
  testing::ForEachSeed(150, [](Random& random) {
    const LimitSpec spec = RandomLeasable(random);
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    scene.world.weather = RandomWeather(random);
    Traffic traffic(random);
    for (int step = 0; step < 1500; ++step) {
      if (random.OneIn(200)) traffic.Change(random);
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kLeased, random.Between(1, traffic.max_cost), nullptr);
      scene.world.RunFor(Nanos{random.Between(0, traffic.max_pause.count())});
      ASSERT_LE(scene.units + scene.UnitsLeased(), scene.world.redis.charged)
          << testing::ToText(spec) << " step " << step;
    }
  });
}

// LeaseTable (4): units of one window are not spent in the next, so a window admits at most COUNT.
TEST(CacheLeasesTest, NeverAdmitsMoreThanTheLimitInAWindow) {
  testing::ForEachSeed(150, [](Random& random) {
    const LimitSpec spec{.algorithm = Algorithm::kFixedWindow,
                         .rate = Rate{random.Between(50, 5000), milliseconds{500}}};
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    scene.world.weather.max_way = milliseconds{random.Between(1, 20)};
    scene.world.redis.window = spec.rate->period;
    Time window{};
    std::int64_t in_window = 0;
    // Units that Redis decided itself are not counted here.
    const RedisCacheFixture::Heard count = [&](const RedisCacheFixture::Admitted& admitted) {
      if (admitted.source != Source::kLease) return;
      const Time start = AlignedStart(scene.world.redis_now(), spec.rate->period);
      if (start != window) in_window = 0;
      window = start;
      in_window += admitted.cost;
    };
    Traffic traffic(random);
    for (int step = 0; step < 3000; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kLeased, 1, count);
      scene.world.RunFor(Nanos{random.Between(0, 1'000'000)});
      ASSERT_LE(in_window, scene.world.redis.leased[window]) << "step " << step;
    }
  });
}

// DESIGN 5: an interval exceeds the limit by at most the units that were on lease when it began.
TEST(CacheLeasesTest, BoundsTheExcessOfAnIntervalByUnitsOnLease) {
  testing::ForEachSeed(60, [](Random& random) {
    const std::int64_t count = random.Between(100, 1000);
    const LimitSpec spec{.rate = Rate{count, seconds{1}}};
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    scene.world.weather.max_way = milliseconds{random.Between(1, 5)};
    struct Begin {
      Time when;
      std::int64_t units = 0;
      std::int64_t out = 0;
    };
    std::vector<Begin> begins;
    for (int step = 0; step < 3000; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kLeased, 1, nullptr);
      scene.world.RunFor(Nanos{random.Between(0, 1'000'000)});
      if (random.OneIn(20)) {
        begins.push_back({scene.world.now(), scene.units, scene.world.redis.charged - scene.units});
      }
      for (const Begin& begin : begins) {
        const std::int64_t refilled =
            count * (scene.world.now() - begin.when).count() / 1'000'000'000 + 1;
        ASSERT_LE(scene.units - begin.units, count + refilled + begin.out) << "step " << step;
      }
    }
  });
}

// LeaseTable (5).
TEST(CacheLeasesTest, ReturnsAllUnitsALeaseLifeAfterTheLastRequest) {
  testing::ForEachSeed(150, [](Random& random) {
    LimitSpec spec = RandomLeasable(random);
    const int lost_calls = random.OneIn(2) ? 0 : 20;
    // Units that come back by themselves first are not returned.
    const bool is_long = lost_calls > 0 || spec.algorithm == Algorithm::kTokenBucket;
    if (is_long) spec.rate->period = hours{1000};
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    scene.world.weather.lost_calls_in_100 = lost_calls;
    Traffic traffic(random);
    traffic.max_pause = milliseconds{5};
    for (int step = 0; step < 500; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kLeased, 1, nullptr);
      scene.world.RunFor(Nanos{random.Between(0, traffic.max_pause.count())});
    }
    scene.world.RunFor(milliseconds{500});
    scene.world.weather = {};
    scene.world.RunFor(milliseconds{700});
    EXPECT_EQ(scene.UnitsLeased(), 0);
    // Units of a window that has ended cannot be returned.
    if (!is_long && spec.algorithm == Algorithm::kFixedWindow) return;
    EXPECT_EQ(scene.world.redis.charged, scene.units) << testing::ToText(spec);
  });
}

TEST(CacheLeasesTest, RarelyAsksRedisAboutAHotKey) {
  Random random{7};
  RedisCacheEnvironment::Plan plan;
  plan.nodes = 3;
  RedisCacheFixture scene(plan, {.rate = Rate{1'000'000, minutes{1}}}, random);
  for (int step = 0; step < 60'000; ++step) {
    scene.Check(static_cast<std::size_t>(step % 3), CacheMode::kLeased, 1, nullptr);
    scene.world.RunFor(std::chrono::microseconds{100});
  }
  EXPECT_EQ(scene.allowed, 60'000);
  EXPECT_LT(scene.world.redis.calls, 600U);
}

}  // namespace
}  // namespace sluice
