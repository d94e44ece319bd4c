// Eventual counts of several nodes around one Redis, in random traces: what they guarantee
// together.
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

// The eventual bound: what a node admits is within the limit, except for what the others admitted
// in one interval and a round trip.
class EventualBound {
 public:
  EventualBound(RedisCacheFixture& scene, const LimitSpec& spec, Nanos lag)
      : scene_(scene), spec_(spec), lag_(lag) {}

  void Note(const RedisCacheFixture::Admitted& admitted) {
    const Time now = scene_.world.redis_now();
    const Time start = AlignedStart(now, spec_.rate->period);
    if (start != window_) {
      window_ = start;
      all_.clear();
    }
    // A window begins here up to a reply time late, and what is pushed then counts in it.
    if (now - start < lag_) return;
    std::int64_t known = 0;
    for (const RedisCacheFixture::Admitted& before : all_) {
      const bool is_recent = before.when > admitted.when - lag_;
      const bool is_own = before.node == admitted.node && admitted.source == Source::kEventual;
      if (!is_recent || is_own) known += before.cost;
    }
    all_.push_back(admitted);
    EXPECT_LE(known + admitted.cost, spec_.rate->count);
    std::int64_t sum = 0;
    for (const RedisCacheFixture::Admitted& each : all_) sum += each.cost;
    max_over = std::max(max_over, sum - spec_.rate->count);
  }

  std::int64_t max_over = 0;

 private:
  RedisCacheFixture& scene_;
  const LimitSpec spec_;
  const Nanos lag_;
  Time window_{};
  std::vector<RedisCacheFixture::Admitted> all_;
};

// Checks the bound in the header of EventualCounters.
TEST(CacheEventualTest, ExceedsTheLimitAtMostByOneIntervalOfOthers) {
  std::int64_t max_over = 0;
  testing::ForEachSeed(100, [&](Random& random) {
    const LimitSpec spec{.algorithm = Algorithm::kFixedWindow,
                         .rate = Rate{random.Between(50, 500), seconds{2}}};
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    const Nanos way = milliseconds{random.Between(1, 10)};
    scene.world.weather.max_way = way;
    // A round trip for another node's push, and one for the report to this node.
    EventualBound bound(scene, spec, milliseconds{100} + 4 * way);
    Traffic traffic(random);
    for (int step = 0; step < 2000 && !::testing::Test::HasFailure(); ++step) {
      if (random.OneIn(200)) traffic.Change(random);
      traffic.max_pause = std::min<Nanos>(traffic.max_pause, milliseconds{20});
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kEventual, random.Between(1, traffic.max_cost),
                  [&](const RedisCacheFixture::Admitted& admitted) { bound.Note(admitted); });
      scene.world.RunFor(Nanos{random.Between(0, traffic.max_pause.count())});
    }
    max_over = std::max(max_over, bound.max_over);
  });
  EXPECT_GT(max_over, 0);  // otherwise the bound was not tested
}

// The bound of EventualCounters, for a bucket that regains its few units before they are pushed.
TEST(CacheEventualTest, KeepsTheRateOfASmallBucket) {
  for (const std::int64_t burst : {20, 25, 30}) {
    for (const int asks : {300, 325}) {  // per node and second
      SCOPED_TRACE(std::to_string(burst) + " at once, asked " + std::to_string(asks) + " times");
      Random random{7};
      RedisCacheEnvironment::Plan plan;
      plan.nodes = 4;
      RedisCacheFixture scene(plan, {.rate = Rate{1000, seconds{1}}, .burst = burst}, random);
      for (int step = 0; step < 20 * 4 * asks; ++step) {
        scene.Check(static_cast<std::size_t>(step % 4), CacheMode::kEventual, 1, nullptr);
        scene.world.RunFor(Nanos{seconds{1}} / (4 * asks));
      }
      // The three other nodes' admissions in one interval and two round trips.
      const std::int64_t too_much = 3 * asks * 102 / 1000;
      EXPECT_LE(scene.units, 20 * 1000 + burst + too_much);
    }
  }
}

// EventualCounters (2), when no units come back by themselves before the end.
TEST(CacheEventualTest, PushesAllUnitsOnce) {
  testing::ForEachSeed(100, [](Random& random) {
    LimitSpec spec = RandomLeasable(random);
    spec.rate->period = hours{1000};
    RedisCacheFixture scene(RandomPlan(random), spec, random);
    scene.world.weather = RandomWeather(random);
    scene.world.weather.lost_replies_in_100 = 0;
    for (int step = 0; step < 1000; ++step) {
      if (random.OneIn(100)) scene.world.weather.is_away = !scene.world.weather.is_away;
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      scene.Check(node, CacheMode::kEventual, 1, nullptr);
      scene.world.RunFor(Nanos{random.Between(0, 10'000'000)});
    }
    scene.world.weather = {};
    scene.world.RunFor(seconds{1});
    EXPECT_EQ(scene.world.redis.charged, scene.units) << testing::ToText(spec);
  });
}

// EventualCounters (2): a push whose reply is lost is not repeated.
TEST(CacheEventualTest, NeverPushesUnitsTwice) {
  testing::ForEachSeed(100, [](Random& random) {
    const Rate rate{random.Between(100, 2000), hours{1000}};
    RedisCacheFixture scene(RandomPlan(random), {.rate = rate}, random);
    scene.world.weather = RandomWeather(random);
    scene.world.weather.lost_replies_in_100 = 30;
    std::int64_t asked = 0;
    for (int step = 0; step < 1000; ++step) {
      const auto node = static_cast<std::size_t>(
          random.Between(0, static_cast<std::int64_t>(scene.world.size()) - 1));
      ++asked;
      scene.Check(node, CacheMode::kEventual, 1, nullptr);
      scene.world.RunFor(Nanos{random.Between(0, 10'000'000)});
    }
    scene.world.weather = {};
    scene.world.RunFor(seconds{1});
    // Checks whose reply was lost were charged, too.
    EXPECT_LE(scene.world.redis.charged, asked - scene.refused);
    EXPECT_GE(scene.world.redis.charged, scene.units);
  });
}

TEST(CacheEventualTest, CostsRedisFiveCallsInTwoIntervals) {
  Random random{7};
  RedisCacheFixture scene({}, {.rate = Rate{1'000'000, minutes{1}}}, random);
  const auto run_for = [&](Nanos length) {
    const std::size_t before = scene.world.redis.calls;
    for (Nanos past{0}; past < length; past += std::chrono::microseconds{100}) {
      scene.Check(0, CacheMode::kEventual, 1, nullptr);
      scene.world.RunFor(std::chrono::microseconds{100});
    }
    return scene.world.redis.calls - before;
  };
  run_for(milliseconds{100});  // until the state is known, Redis decides
  EXPECT_LE(run_for(seconds{1}), 25U) << "in ten intervals";
  EXPECT_EQ(scene.refused, 0);
}

}  // namespace
}  // namespace sluice
