// Compares the script with the memory store in 100,000 steps: 8,000 for each of eleven kinds, and
// 12,000 with all kinds.
#include <gtest/gtest.h>

#include "support/random_limit.h"
#include "unit/remote/script/redis_fixture.h"

namespace sluice::testing {
namespace {

class ScriptDifferentialSlow : public ::testing::TestWithParam<Kind> {};

TEST_P(ScriptDifferentialSlow, DecidesLikeTheMemoryStore) {
  WorldPlan plan;
  plan.kinds = {{GetParam()}};
  plan.worlds = 40;
  plan.steps = 200;
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

INSTANTIATE_TEST_SUITE_P(Each, ScriptDifferentialSlow, ::testing::ValuesIn(RemoteKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(ScriptDifferentialSlowOfAll, DecidesRequestsWithLimitsOfAllKinds) {
  WorldPlan plan = PlanOfAll();
  plan.worlds = 60;
  plan.steps = 200;
  RunWorlds(plan);
}

}  // namespace
}  // namespace sluice::testing
