// Compares the core with the oracle in every field of every step.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/limit/limit.h"
#include "support/core_state.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

class CoreOracleTest : public ::testing::TestWithParam<Kind> {};

TEST_P(CoreOracleTest, MatchesOracleInEveryField) {
  ForEachSeed(400, [](Random& random) {
    const LimitSpec spec = RandomLimit(GetParam(), random);
    const Limit limit = MustMake(spec);
    if (::testing::Test::HasFailure()) return;
    const auto zone = ZoneOf(spec);
    const std::uint64_t key_hash = random.Bits();
    CoreState state(limit.terms, Stagger{key_hash});
    const auto model = Model::Make(spec, zone.get(), key_hash);
    TraceMaker maker(spec, zone, random);
    ExpectSameAnswers(spec, maker, state, *model, 50);
  });
}

INSTANTIATE_TEST_SUITE_P(Core, CoreOracleTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

}  // namespace
}  // namespace sluice::testing
