// Compares the script in a real Redis, whose clock the test controls, with the memory store.
#include <gtest/gtest.h>

#include "support/random_limit.h"
#include "unit/remote/script/redis_fixture.h"

namespace sluice::testing {
namespace {

class ScriptDifferential : public ::testing::TestWithParam<Kind> {};

TEST_P(ScriptDifferential, DecidesLikeTheMemoryStore) {
  WorldPlan plan;
  plan.kinds = {{GetParam()}};
  RunWorlds(plan);
}

TEST_P(ScriptDifferential, CarriesUsedUnitsOverToNewTerms) {
  WorldPlan plan;
  plan.kinds = {{GetParam()}};
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

INSTANTIATE_TEST_SUITE_P(Each, ScriptDifferential, ::testing::ValuesIn(RemoteKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(ScriptDifferentialOfAll, DecidesRequestsWithLimitsOfAllKinds) { RunWorlds(PlanOfAll()); }

TEST(ScriptDifferentialOfAll, ConvertsStatesBetweenVariantsOfAnAlgorithm) {
  WorldPlan plan;
  plan.kinds = {{Kind::kTokenBucket, Kind::kIntervalRefill},
                {Kind::kAlignedWindow, Kind::kFirstRequestWindow},
                {Kind::kFirstRequestWindow, Kind::kCalendarWindow}};
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

}  // namespace
}  // namespace sluice::testing
