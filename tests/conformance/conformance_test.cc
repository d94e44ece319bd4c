// Runs the same traces on the memory store and on Redis in every deployment, and compares all
// fields of the decisions.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "conformance/conformance_world.h"
#include "conformance/memory_subject.h"
#include "conformance/redis_subject.h"
#include "support/random.h"

namespace sluice::testing {
namespace {

// How many fixtures to run with keys of one kind, and with keys of all kinds.
struct ConformancePlan {
  Routes routes = Routes::kOne;
  int worlds_of_each = 8;
  int worlds_of_all = 40;
  int keys_of_each = 3;
  int steps = 60;
};

void RunAll(const ConformancePlan& plan, std::vector<ConformanceSubject*> subjects) {
  MemorySubject memory;
  subjects.insert(subjects.begin(), &memory);
  const std::vector<Kind> kinds = ConformanceKinds(plan.routes);
  ConformanceCounts counts;
  for (const Kind kind : kinds) {
    SCOPED_TRACE(NameOf(kind));
    ForEachSeed(plan.worlds_of_each, [&](Random& random) {
      ConformanceFixture world(subjects, plan.routes, random);
      for (int i = 0; i < plan.keys_of_each; ++i) world.AddKey(kind);
      world.Run(plan.steps, counts);
    });
    if (::testing::Test::HasFailure()) return;
  }
  ForEachSeed(plan.worlds_of_all, [&](Random& random) {
    ConformanceFixture world(subjects, plan.routes, random);
    for (const Kind kind : kinds) world.AddKey(kind);
    world.Run(plan.steps, counts);
  });
  std::printf("%d steps: %d allowed, %d refused, %d in use\n", counts.steps, counts.allowed,
              counts.refused, counts.in_use);
  // Otherwise the test would have tested nothing.
  const int decided = counts.allowed + counts.refused;
  EXPECT_GT(counts.allowed, decided / 10);
  EXPECT_GT(counts.refused, decided / 10);
  EXPECT_GT(counts.in_use, decided / 4);
}

TEST(Conformance, OneServerDecidesLikeMemory) {
  const auto server = RedisSubject::OneServer();
  ASSERT_NE(server, nullptr);
  RunAll({.worlds_of_all = 100}, {server.get()});
}

TEST(Conformance, ClusterDecidesLikeMemoryWithinASlot) {
  const auto cluster = RedisSubject::Cluster();
  ASSERT_NE(cluster, nullptr);
  RunAll({}, {cluster.get()});
  EXPECT_EQ(cluster->counts().given_back.ReadApprox(), 0U);
}

// All or none, as the caller sees it: refunded charges leave no trace.
TEST(Conformance, ClusterDecidesLikeMemoryAcrossSlots) {
  const auto cluster = RedisSubject::Cluster();
  ASSERT_NE(cluster, nullptr);
  RunAll({.routes = Routes::kSpread}, {cluster.get()});
  EXPECT_GT(cluster->counts().given_back.ReadApprox(), 100U);
  EXPECT_EQ(cluster->counts().not_given_back.ReadApprox(), 0U);
}

TEST(Conformance, SentinelPrimaryDecidesLikeMemory) {
  const auto sentinel = RedisSubject::Sentinel();
  ASSERT_NE(sentinel, nullptr);
  RunAll({}, {sentinel.get()});
}

}  // namespace
}  // namespace sluice::testing
