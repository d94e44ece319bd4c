// NearbyScene: several nodes around one Redis, from a seed, and traffic on one key.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "support/random_limit.h"
#include "unit/remote/nearby_world.h"

namespace sluice::testing {

// Traffic on one key by all nodes, and what was admitted.
class NearbyScene {
 public:
  static constexpr FleetKey kKey{.high = 3, .low = 4};

  NearbyScene(const NearbyWorld::Plan& plan, const LimitSpec& spec, Random& random)
      : terms(TermsOf(spec)), world(plan, random) {}

  NearbyScene(const NearbyScene&) = delete;
  NearbyScene& operator=(const NearbyScene&) = delete;
  // What is still under way is heard by nobody.
  ~NearbyScene() { is_over_ = true; }

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

  // `done` hears of what is admitted, when it is.
  using Heard = std::function<void(const Admitted& admitted)>;
  void Check(std::size_t node, Nearness nearness, std::int64_t cost, const Heard& heard) {
    world.node(node).Check(ItemOf(cost), nearness, [this, node, cost, heard](const auto& decision) {
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
  std::int64_t units = 0;  // admitted
  std::int64_t allowed = 0;
  std::int64_t refused = 0;

 private:
  bool is_over_ = false;

 public:
  NearbyWorld world;  // ends first
};

inline NearbyWorld::Plan RandomPlan(Random& random) {
  NearbyWorld::Plan plan;
  plan.nodes = static_cast<std::size_t>(random.Between(1, 5));
  plan.redis_ahead = Nanos{random.Between(-3'600'000'000'000, 3'600'000'000'000)};
  plan.start += Nanos{random.Between(0, 3'600'000'000'000)};
  return plan;
}

inline Weather RandomWeather(Random& random) {
  Weather weather;
  weather.way_most = std::chrono::milliseconds{random.Between(1, 20)};
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

// How often and how much a scene is asked; it changes now and then.
struct Traffic {
  explicit Traffic(Random& random) { Change(random); }
  void Change(Random& random) {
    pause_most = Nanos{random.Spread(100'000, 100'000'000)};
    cost_most = random.OneIn(2) ? 1 : random.Between(1, 5);
  }

  Nanos pause_most{};
  std::int64_t cost_most = 1;
};

}  // namespace sluice::testing
