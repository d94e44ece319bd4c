// Leases of several nodes around one Redis, from a seed: what is promised of them together.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/aligned.h"
#include "remote/redis_nearby.h"
#include "support/random_limit.h"
#include "unit/remote/nearby_scene.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::NearbyScene;
using testing::NearbyWorld;
using testing::Random;
using testing::RandomLeasable;
using testing::RandomPlan;
using testing::RandomWeather;
using testing::Traffic;

// Purse (1): counted when they are taken, no more units are admitted than Redis charged.
TEST(NearbyLeasesTest, LeasedUnitsAreChargedBeforeTheyAreSpent) {
  testing::ForEachSeed(150, [](Random& random) {
    const LimitSpec spec = RandomLeasable(random);
    NearbyScene scene(RandomPlan(random), spec, random);
    scene.world.weather = RandomWeather(random);
    Traffic traffic(random);
    for (int step = 0; step < 1500; ++step) {
      if (random.OneIn(200)) traffic.Change(random);
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, Nearness::kLeased, random.Between(1, traffic.cost_most), nullptr);
      scene.world.RunFor(Nanos{random.Between(0, traffic.pause_most.count())});
      ASSERT_LE(scene.units + scene.UnitsLeased(), scene.world.redis.charged)
          << testing::ToText(spec) << " step " << step;
    }
  });
}

// Purse (4): units of one window are not spent in the next, so a window admits no more than COUNT.
TEST(NearbyLeasesTest, ALeasedWindowNeverAdmitsMoreThanItsLimit) {
  testing::ForEachSeed(150, [](Random& random) {
    const LimitSpec spec{.algorithm = Algorithm::kFixedWindow,
                         .rate = Rate{random.Between(50, 5000), milliseconds{500}}};
    NearbyScene scene(RandomPlan(random), spec, random);
    scene.world.weather.way_most = milliseconds{random.Between(1, 20)};
    scene.world.redis.window = spec.rate->period;
    Time window{};
    std::int64_t in_window = 0;
    // What Redis itself decided is its own.
    const NearbyScene::Heard count = [&](const NearbyScene::Admitted& admitted) {
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
      scene.Check(node, Nearness::kLeased, 1, count);
      scene.world.RunFor(Nanos{random.Between(0, 1'000'000)});
      ASSERT_LE(in_window, scene.world.redis.leased[window]) << "step " << step;
    }
  });
}

// DESIGN 5: in any interval at most the units out on lease when it began, above the limit.
TEST(NearbyLeasesTest, InAnyIntervalLeasesAdmitAtMostWhatWasOutWhenItBegan) {
  testing::ForEachSeed(60, [](Random& random) {
    const std::int64_t count = random.Between(100, 1000);
    const LimitSpec spec{.rate = Rate{count, seconds{1}}};
    NearbyScene scene(RandomPlan(random), spec, random);
    scene.world.weather.way_most = milliseconds{random.Between(1, 5)};
    struct Begin {
      Time when;
      std::int64_t units = 0;
      std::int64_t out = 0;
    };
    std::vector<Begin> begins;
    for (int step = 0; step < 3000; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, Nearness::kLeased, 1, nullptr);
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

// Purse (5).
TEST(NearbyLeasesTest, AllUnitsAreBackALeaseAfterTheLastRequest) {
  testing::ForEachSeed(150, [](Random& random) {
    LimitSpec spec = RandomLeasable(random);
    const int lost_calls = random.OneIn(2) ? 0 : 20;
    // What is back by itself first is not given back.
    const bool is_long = lost_calls > 0 || spec.algorithm == Algorithm::kTokenBucket;
    if (is_long) spec.rate->period = hours{1000};
    NearbyScene scene(RandomPlan(random), spec, random);
    scene.world.weather.lost_calls_in_100 = lost_calls;
    Traffic traffic(random);
    traffic.pause_most = milliseconds{5};
    for (int step = 0; step < 500; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, Nearness::kLeased, 1, nullptr);
      scene.world.RunFor(Nanos{random.Between(0, traffic.pause_most.count())});
    }
    scene.world.RunFor(milliseconds{500});
    scene.world.weather = {};
    scene.world.RunFor(milliseconds{700});
    EXPECT_EQ(scene.UnitsLeased(), 0);
    // A window that is over has nothing to give back to.
    if (!is_long && spec.algorithm == Algorithm::kFixedWindow) return;
    EXPECT_EQ(scene.world.redis.charged, scene.units) << testing::ToText(spec);
  });
}

TEST(NearbyLeasesTest, AHotKeyIsRarelyAskedForInRedis) {
  Random random{7};
  NearbyWorld::Plan plan;
  plan.nodes = 3;
  NearbyScene scene(plan, {.rate = Rate{1'000'000, minutes{1}}}, random);
  for (int step = 0; step < 60'000; ++step) {
    scene.Check(static_cast<std::size_t>(step % 3), Nearness::kLeased, 1, nullptr);
    scene.world.RunFor(std::chrono::microseconds{100});
  }
  EXPECT_EQ(scene.allowed, 60'000);
  EXPECT_LT(scene.world.redis.calls, 600U);
}

}  // namespace
}  // namespace sluice
