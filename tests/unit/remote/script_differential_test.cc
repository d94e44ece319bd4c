// The script in a real Redis, whose clock the test sets, against the memory store.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "support/random.h"
#include "support/random_limit.h"
#include "support/redis_server.h"
#include "unit/remote/redis_world.h"

namespace sluice::testing {
namespace {

// Kinds whose states Redis keeps and the memory store decides in the same way.
std::vector<Kind> Kinds() {
  return {Kind::kTokenBucket,    Kind::kLeakyBucket,    Kind::kPacer,
          Kind::kAlignedWindow,  Kind::kCalendarWindow, Kind::kFirstRequestWindow,
          Kind::kIntervalRefill, Kind::kSlidingWindow,  Kind::kSlidingBuckets,
          Kind::kSlidingLog,     Kind::kConcurrency};
}

// How many worlds, and what happens in each.
struct Plan {
  std::vector<std::vector<Kind>> kinds;  // of keys
  int keys_each = 5;
  int worlds = 20;
  int steps = 100;
  TermsChange changes = TermsChange::kNever;
};

void RunWorlds(const Plan& plan) {
  const auto server = RedisServer::Start();
  ASSERT_NE(server, nullptr);
  RedisClient client(server->socket_path());
  ASSERT_TRUE(client.is_open());
  WorldCounts counts;
  ForEachSeed(plan.worlds, [&](Random& random) {
    RedisWorld world(*server, client, random, plan.changes);
    for (const std::vector<Kind>& kinds : plan.kinds) {
      for (int i = 0; i < plan.keys_each; ++i) {
        world.AddKey(NameOf(kinds.front()) + std::to_string(i), kinds);
      }
    }
    world.Run(plan.steps);
    counts.Add(world.counts());
  });
  std::printf("%d allowed, %d refused, %d in use, %d conversions\n", counts.allowed, counts.refused,
              counts.in_use, counts.converted);
  // Else it has tested nothing.
  const int decided = counts.allowed + counts.refused;
  EXPECT_GT(counts.allowed, decided / 10);
  EXPECT_GT(counts.refused, decided / 10);
  EXPECT_GT(counts.in_use, decided / 4);
}

Plan PlanOfAll() {
  Plan plan;
  for (const Kind kind : Kinds()) plan.kinds.push_back({kind});
  plan.keys_each = 3;
  return plan;
}

class ScriptDifferential : public ::testing::TestWithParam<Kind> {};

TEST_P(ScriptDifferential, DecidesAsTheMemoryStoreDoes) {
  Plan plan;
  plan.kinds = {{GetParam()}};
  RunWorlds(plan);
}

TEST_P(ScriptDifferential, CarriesUsedUnitsOverToNewTerms) {
  Plan plan;
  plan.kinds = {{GetParam()}};
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

INSTANTIATE_TEST_SUITE_P(Each, ScriptDifferential, ::testing::ValuesIn(Kinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(ScriptDifferentialOfAll, ManyLimitsOfAllKindsInOneRequest) { RunWorlds(PlanOfAll()); }

TEST(ScriptDifferentialOfAll, VariantsOfOneAlgorithmTakeOverEachOthersStates) {
  Plan plan;
  plan.kinds = {{Kind::kTokenBucket, Kind::kIntervalRefill},
                {Kind::kAlignedWindow, Kind::kFirstRequestWindow},
                {Kind::kFirstRequestWindow, Kind::kCalendarWindow}};
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

}  // namespace
}  // namespace sluice::testing
