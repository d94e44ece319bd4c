// The script in a real Redis, whose clock the test sets, against the memory store.
#include <gtest/gtest.h>

#include "support/random_limit.h"
#include "unit/remote/redis_world.h"

namespace sluice::testing {
namespace {

class ScriptDifferential : public ::testing::TestWithParam<Kind> {};

TEST_P(ScriptDifferential, DecidesAsTheMemoryStoreDoes) {
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

TEST(ScriptDifferentialOfAll, ManyLimitsOfAllKindsInOneRequest) { RunWorlds(PlanOfAll()); }

TEST(ScriptDifferentialOfAll, VariantsOfOneAlgorithmTakeOverEachOthersStates) {
  WorldPlan plan;
  plan.kinds = {{Kind::kTokenBucket, Kind::kIntervalRefill},
                {Kind::kAlignedWindow, Kind::kFirstRequestWindow},
                {Kind::kFirstRequestWindow, Kind::kCalendarWindow}};
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

}  // namespace
}  // namespace sluice::testing
