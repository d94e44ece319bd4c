// RemoteItems: makes charges for a remote store from the names of keys.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "remote/script/redis_remote.h"
#include "store/fleet_key.h"
#include "support/random_limit.h"

namespace sluice {

// The secret of all nodes in a test.
inline constexpr FleetSecret kTestSecret{{1, 2}, {3, 4}};

// Binds a limit. REQUIRES: Redis can keep it.
inline std::shared_ptr<const RemoteTerms> MustBind(const LimitSpec& spec) {
  auto bound = RedisLimits().Bind(testing::MustMake(spec));
  EXPECT_TRUE(bound.ok()) << bound.error().message;
  return std::move(bound).value();
}

inline LimitSpec PerHour(std::int64_t count, Algorithm algorithm = Algorithm::kTokenBucket) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{count, std::chrono::hours{1}};
  return spec;
}

// Returns a charge of the named key; `route` selects its slot.
inline RemoteItem ItemOf(std::shared_ptr<const RemoteTerms> terms, std::string_view name,
                         std::string_view route, Cost cost = {}) {
  return {.terms = std::move(terms),
          .key = FleetHash(kTestSecret, "test").Of(name),
          .route = RouteOf(kTestSecret, route),
          .cost = cost};
}

}  // namespace sluice
