#include "gate/fallback.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "unit/gate/gate_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

class FallbackTest : public ::testing::Test {
 protected:
  FallbackCharge Of(OnStoreFailure policy, Enforcement enforcement, std::int64_t cost = 1) const {
    FallbackCharge charge;
    charge.charge = {limit_, "u", Cost{cost}};
    charge.enforcement = enforcement;
    charge.policy = policy;
    return charge;
  }

  // Returns whether a request with these charges goes ahead.
  bool Together(const std::vector<FallbackCharge>& charges) {
    decisions_.assign(charges.size(), Decision{});
    fallback_.DecideTogether(charges, ChargeMode::kAllOrNone, now_, decisions_);
    std::vector<Enforcement> enforcements;
    for (const FallbackCharge& each : charges) enforcements.push_back(each.enforcement);
    return GoesAhead(decisions_, enforcements);
  }

  std::int64_t Left() {
    const FallbackCharge look = Of(OnStoreFailure::kLocal, Enforcement::kEnforce, 0);
    Decision decision;
    fallback_.DecideEach(Operation::kPeek, {&look, 1}, now_, {&decision, 1});
    return decision.remaining;
  }

  Time now_{1'700'000'000s};
  std::unique_ptr<MemoryStore> store_ = MemoryStore::Create({.seed = {1, 2}}).value();
  LimitHandle limit_ = store_->Add("share", LimitOf("2/h"), now_).value();
  Fallback fallback_{*store_};
  std::vector<Decision> decisions_;
};

TEST_F(FallbackTest, LocalQuotaStaysOpenWhileOthersAreDenied) {
  const std::vector<FallbackCharge> charges = {Of(OnStoreFailure::kDeny, Enforcement::kQuota),
                                               Of(OnStoreFailure::kLocal, Enforcement::kQuota),
                                               Of(OnStoreFailure::kDeny, Enforcement::kQuota)};
  EXPECT_TRUE(Together(charges));
  EXPECT_EQ(Left(), 1);
  EXPECT_TRUE(Together(charges));
  EXPECT_FALSE(Together(charges));
  EXPECT_EQ(decisions_[0].retry_after, Fallback::kDeniedFor);
  EXPECT_EQ(Left(), 0);
}

TEST_F(FallbackTest, TakesNothingIfEveryQuotaIsDenied) {
  EXPECT_FALSE(Together({Of(OnStoreFailure::kDeny, Enforcement::kQuota),
                         Of(OnStoreFailure::kLocal, Enforcement::kEnforce),
                         Of(OnStoreFailure::kDeny, Enforcement::kQuota)}));
  EXPECT_EQ(Left(), 2);
}

// One passing quota limit is enough, so the used-up share of another one does not refuse.
TEST_F(FallbackTest, AllowedQuotaLiftsTheShareOfAnother) {
  const std::vector<FallbackCharge> charges = {Of(OnStoreFailure::kLocal, Enforcement::kQuota, 2),
                                               Of(OnStoreFailure::kAllow, Enforcement::kQuota),
                                               Of(OnStoreFailure::kDeny, Enforcement::kQuota)};
  EXPECT_TRUE(Together(charges));
  EXPECT_EQ(Left(), 0);
  EXPECT_TRUE(Together(charges));
  EXPECT_FALSE(decisions_[0].allowed);
}

// A quota limit that is used up refuses if no other passes, so nothing else is taken.
TEST_F(FallbackTest, TakesNothingElseIfTheQuotaShareIsUsedUp) {
  const FallbackCharge quota = Of(OnStoreFailure::kLocal, Enforcement::kQuota, 2);
  EXPECT_TRUE(Together({quota}));
  FallbackCharge other = Of(OnStoreFailure::kLocal, Enforcement::kEnforce);
  other.charge.key = "another";
  const auto left = [&] {
    FallbackCharge look = other;
    look.charge.cost = Cost{0};
    Decision decision;
    fallback_.DecideEach(Operation::kPeek, {&look, 1}, now_, {&decision, 1});
    return decision.remaining;
  };
  EXPECT_FALSE(Together({quota, other}));
  EXPECT_EQ(left(), 2);
  EXPECT_FALSE(Together({Of(OnStoreFailure::kDeny, Enforcement::kQuota), quota, other}));
  EXPECT_EQ(left(), 2);
}

TEST_F(FallbackTest, CostOfZeroIsNotDenied) {
  EXPECT_TRUE(Together({Of(OnStoreFailure::kDeny, Enforcement::kEnforce, 0)}));
  EXPECT_FALSE(Together({Of(OnStoreFailure::kDeny, Enforcement::kEnforce, 1)}));
}

TEST_F(FallbackTest, EnforcedDenialKeepsSharesButTakesDebts) {
  EXPECT_FALSE(Together({Of(OnStoreFailure::kLocal, Enforcement::kEnforce),
                         Of(OnStoreFailure::kDeny, Enforcement::kEnforce),
                         Of(OnStoreFailure::kDeny, Enforcement::kDebt)}));
  EXPECT_EQ(Left(), 2);
  EXPECT_TRUE(decisions_[2].allowed);
  EXPECT_FALSE(Together({Of(OnStoreFailure::kLocal, Enforcement::kDebt),
                         Of(OnStoreFailure::kDeny, Enforcement::kEnforce)}));
  EXPECT_EQ(Left(), 1);
}

TEST_F(FallbackTest, DenialInShadowTakesTheSharesOfOthers) {
  EXPECT_TRUE(Together({Of(OnStoreFailure::kDeny, Enforcement::kShadow),
                        Of(OnStoreFailure::kLocal, Enforcement::kEnforce)}));
  EXPECT_EQ(Left(), 1);
}

TEST_F(FallbackTest, DeniesOnlyChecksAndLooks) {
  const FallbackCharge charge = Of(OnStoreFailure::kDeny, Enforcement::kEnforce);
  for (const Operation operation : {Operation::kPeek, Operation::kRefund, Operation::kReset}) {
    Decision decision;
    fallback_.DecideEach(operation, {&charge, 1}, now_, {&decision, 1});
    EXPECT_EQ(decision.allowed, operation != Operation::kPeek);
    EXPECT_EQ(decision.source, Source::kFallback);
  }
}

}  // namespace
}  // namespace sluice::testing
