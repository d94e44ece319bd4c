#include "gate/caller_limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <span>

#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

class CallerLimitsTest : public GateFixture {
 protected:
  CallerLimitsTest() { Use({}); }

  CallerLimits limits_{gate_};
};

TEST_F(CallerLimitsTest, DecidesEveryChargeUnderItsOwnTerms) {
  constexpr std::int64_t kTerms = 4 * CallerLimits::kRemembered;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 1; i <= kTerms; ++i) {
      ASSERT_TRUE(limits_.Add({i, 1, seconds(1)}, "k", Cost{0}).ok());
    }
    const std::span<const Decision> decisions = limits_.Decide();
    ASSERT_EQ(decisions.size(), static_cast<std::size_t>(kTerms));
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      EXPECT_EQ(decisions[i].limit, static_cast<std::int64_t>(i) + 1);
    }
  }
}

TEST_F(CallerLimitsTest, RejectsInvalidTerms) {
  EXPECT_FALSE(limits_.Add({1, 0, seconds(1)}, "k", Cost{1}).ok());
  EXPECT_FALSE(limits_.Add({1, 1, seconds::max()}, "k", Cost{1}).ok());
  EXPECT_TRUE(limits_.Decide().empty());
}

TEST_F(CallerLimitsTest, InvalidTermsDoNotReplaceCachedOnes) {
  EXPECT_TRUE(limits_.Add({2, 1, seconds(1)}, "k", Cost{1}).ok());
  EXPECT_FALSE(limits_.Add({2, 0, seconds(1)}, "k", Cost{1}).ok());
  EXPECT_EQ(limits_.Decide().size(), 1U);
}

TEST_F(CallerLimitsTest, SharesKeysBetweenThreads) {
  CallerLimits other(gate_);
  ASSERT_TRUE(limits_.Add({1, 1, seconds(1)}, "k", Cost{1}).ok());
  ASSERT_TRUE(other.Add({1, 1, seconds(1)}, "k", Cost{1}).ok());
  EXPECT_TRUE(limits_.Decide()[0].allowed);
  EXPECT_FALSE(other.Decide()[0].allowed);
}

TEST_F(CallerLimitsTest, KeepsKeysWhenRulesChange) {
  ASSERT_TRUE(limits_.Add({1, 1, seconds(1)}, "k", Cost{1}).ok());
  limits_.Decide();
  Use({Rule("new", "1/s")});
  ASSERT_TRUE(limits_.Add({1, 1, seconds(1)}, "k", Cost{1}).ok());
  EXPECT_FALSE(limits_.Decide()[0].allowed);
}

}  // namespace
}  // namespace sluice::testing
