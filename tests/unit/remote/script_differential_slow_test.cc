// The script against the memory store, in 100,000 steps: 8,000 for each of eleven kinds, and
// 12,000.
#include <gtest/gtest.h>

#include "support/random_limit.h"
#include "unit/remote/redis_world.h"

namespace sluice::testing {
namespace {

class ScriptDifferentialSlow : public ::testing::TestWithParam<Kind> {};

TEST_P(ScriptDifferentialSlow, DecidesAsTheMemoryStoreDoes) {
  WorldPlan plan;
  plan.kinds = {{GetParam()}};
  plan.worlds = 40;
  plan.steps = 200;
  plan.changes = TermsChange::kSometimes;
  RunWorlds(plan);
}

INSTANTIATE_TEST_SUITE_P(Each, ScriptDifferentialSlow, ::testing::ValuesIn(RemoteKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(ScriptDifferentialSlowOfAll, ManyLimitsOfAllKindsInOneRequest) {
  WorldPlan plan = PlanOfAll();
  plan.worlds = 60;
  plan.steps = 200;
  RunWorlds(plan);
}

}  // namespace
}  // namespace sluice::testing
