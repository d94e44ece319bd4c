// RedisCacheFixture: several nodes around one Redis, built from a seed, and traffic on one key.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "support/random_limit.h"
#include "unit/remote/cache/redis_cache_environment.h"

namespace sluice::testing {

// Traffic of all nodes on one key, and the admitted requests.
class RedisCacheFixture {
 public:
  static constexpr FleetKey kKey{.high = 3, .low = 4};

  RedisCacheFixture(const RedisCacheEnvironment::Plan& plan, const LimitSpec& spec, Random& random)
      : terms(TermsOf(spec)), world(plan, random) {}

  RedisCacheFixture(const RedisCacheFixture&) = delete;
  RedisCacheFixture& operator=(const RedisCacheFixture&) = delete;
  // Callbacks of calls still in flight are ignored.
  ~RedisCacheFixture() { is_over_ = true; }

  RemoteItem ItemOf(std::int64_t cost) const {
    RemoteItem item;
    item.terms = terms;
    item.key = kKey;
    item.cost = {cost};
    return item;
  }

  struct Admitted {
    Time when;
    std::size_t node = 0;
    std::int64_t cost = 0;
    Source source = Source::kRemote;
  };

  // Checks once. `heard` is called if and when the request is admitted.
  using Heard = std::function<void(const Admitted& admitted)>;
  void Check(std::size_t node, CacheMode cache_mode, std::int64_t cost, const Heard& heard) {
    world.node(node).Check(ItemOf(cost), cache_mode,
                           [this, node, cost, heard](const auto& decision) {
                             if (!decision || is_over_) return;
                             (decision->allowed ? allowed : refused) += 1;
                             if (!decision->allowed) return;
                             units += cost;
                             if (heard) heard({world.now(), node, cost, decision->source});
                           });
  }

  std::int64_t UnitsLeased() {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < world.size(); ++i) {
      sum += world.node(i).shared.UnitsLeasedForTest();
    }
    return sum;
  }

  std::shared_ptr<const RemoteTerms> terms;
  std::int64_t units = 0;  // number of units admitted
  std::int64_t allowed = 0;
  std::int64_t refused = 0;

 private:
  bool is_over_ = false;

 public:
  RedisCacheEnvironment world;  // destroyed first
};

inline RedisCacheEnvironment::Plan RandomPlan(Random& random) {
  RedisCacheEnvironment::Plan plan;
  plan.nodes = static_cast<std::size_t>(random.Between(1, 5));
  plan.redis_ahead = Nanos{random.Between(-3'600'000'000'000, 3'600'000'000'000)};
  plan.start += Nanos{random.Between(0, 3'600'000'000'000)};
  return plan;
}

inline Weather RandomWeather(Random& random) {
  Weather weather;
  weather.max_way = std::chrono::milliseconds{random.Between(1, 20)};
  if (random.OneIn(2)) weather.lost_calls_in_100 = static_cast<int>(random.Between(0, 20));
  if (random.OneIn(2)) weather.lost_replies_in_100 = static_cast<int>(random.Between(0, 20));
  return weather;
}

inline LimitSpec RandomLeasable(Random& random) {
  LimitSpec spec;
  spec.algorithm = random.Pick({Algorithm::kTokenBucket, Algorithm::kFixedWindow,
                                Algorithm::kSlidingWindow, Algorithm::kSlidingBuckets});
  spec.rate = Rate{random.Between(20, 3000), std::chrono::seconds{random.Between(1, 20)}};
  if (spec.algorithm == Algorithm::kSlidingBuckets) spec.buckets = 5;
  if (spec.algorithm == Algorithm::kTokenBucket && random.OneIn(2)) spec.refill = Refill::kInterval;
  return spec;
}

// How often and with which costs a fixture is used. Changes from time to time.
struct Traffic {
  explicit Traffic(Random& random) { Change(random); }
  void Change(Random& random) {
    max_pause = Nanos{random.Spread(100'000, 100'000'000)};
    max_cost = random.OneIn(2) ? 1 : random.Between(1, 5);
  }

  Nanos max_pause{};
  std::int64_t max_cost = 1;
};

}  // namespace sluice::testing
