#include "gate/fallback.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "unit/gate/scene.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

class FallbackTest : public ::testing::Test {
 protected:
  FallbackCharge Of(OnStoreFailure policy, Veto veto, std::int64_t cost = 1) const {
    FallbackCharge charge;
    charge.charge = {limit_, "u", Cost{cost}};
    charge.veto = veto;
    charge.policy = policy;
    return charge;
  }

  // Whether a request of these charges goes ahead.
  bool Together(const std::vector<FallbackCharge>& charges) {
    decisions_.assign(charges.size(), Decision{});
    fallback_.DecideTogether(charges, Taking::kAllOrNone, now_, decisions_);
    std::vector<Veto> vetoes;
    for (const FallbackCharge& each : charges) vetoes.push_back(each.veto);
    return GoesAhead(decisions_, vetoes);
  }

  std::int64_t Left() {
    const FallbackCharge look = Of(OnStoreFailure::kLocal, Veto::kEnforce, 0);
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

TEST_F(FallbackTest, AQuotaOfThisNodesShareIsOpenWhileAnotherIsDenied) {
  const std::vector<FallbackCharge> charges = {Of(OnStoreFailure::kDeny, Veto::kQuota),
                                               Of(OnStoreFailure::kLocal, Veto::kQuota),
                                               Of(OnStoreFailure::kDeny, Veto::kQuota)};
  EXPECT_TRUE(Together(charges));
  EXPECT_EQ(Left(), 1);
  EXPECT_TRUE(Together(charges));
  EXPECT_FALSE(Together(charges));
  EXPECT_EQ(decisions_[0].retry_after, Fallback::kDeniedFor);
  EXPECT_EQ(Left(), 0);
}

TEST_F(FallbackTest, WhereEveryQuotaIsDeniedNothingIsTaken) {
  EXPECT_FALSE(
      Together({Of(OnStoreFailure::kDeny, Veto::kQuota), Of(OnStoreFailure::kLocal, Veto::kEnforce),
                Of(OnStoreFailure::kDeny, Veto::kQuota)}));
  EXPECT_EQ(Left(), 2);
}

// One that passes is enough, so the share of another does not refuse when it is used up.
TEST_F(FallbackTest, AQuotaThatIsAllowedLiftsTheShareOfAnother) {
  const std::vector<FallbackCharge> charges = {Of(OnStoreFailure::kLocal, Veto::kQuota, 2),
                                               Of(OnStoreFailure::kAllow, Veto::kQuota),
                                               Of(OnStoreFailure::kDeny, Veto::kQuota)};
  EXPECT_TRUE(Together(charges));
  EXPECT_EQ(Left(), 0);
  EXPECT_TRUE(Together(charges));
  EXPECT_FALSE(decisions_[0].allowed);
}

// A quota that is used up refuses, whatever stands beside it, so nothing else is taken.
TEST_F(FallbackTest, WhereTheQuotaOfAShareIsUsedUpNothingElseIsTaken) {
  const FallbackCharge quota = Of(OnStoreFailure::kLocal, Veto::kQuota, 2);
  EXPECT_TRUE(Together({quota}));
  FallbackCharge other = Of(OnStoreFailure::kLocal, Veto::kEnforce);
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
  EXPECT_FALSE(Together({Of(OnStoreFailure::kDeny, Veto::kQuota), quota, other}));
  EXPECT_EQ(left(), 2);
}

TEST_F(FallbackTest, ACostOfNothingIsNotDenied) {
  EXPECT_TRUE(Together({Of(OnStoreFailure::kDeny, Veto::kEnforce, 0)}));
  EXPECT_FALSE(Together({Of(OnStoreFailure::kDeny, Veto::kEnforce, 1)}));
}

TEST_F(FallbackTest, AnEnforcedDenialKeepsTheSharesButTakesDebts) {
  EXPECT_FALSE(Together({Of(OnStoreFailure::kLocal, Veto::kEnforce),
                         Of(OnStoreFailure::kDeny, Veto::kEnforce),
                         Of(OnStoreFailure::kDeny, Veto::kDebt)}));
  EXPECT_EQ(Left(), 2);
  EXPECT_TRUE(decisions_[2].allowed);
  EXPECT_FALSE(Together(
      {Of(OnStoreFailure::kLocal, Veto::kDebt), Of(OnStoreFailure::kDeny, Veto::kEnforce)}));
  EXPECT_EQ(Left(), 1);
}

TEST_F(FallbackTest, ADenialInShadowTakesTheSharesOfOthers) {
  EXPECT_TRUE(Together(
      {Of(OnStoreFailure::kDeny, Veto::kShadow), Of(OnStoreFailure::kLocal, Veto::kEnforce)}));
  EXPECT_EQ(Left(), 1);
}

TEST_F(FallbackTest, OnlyChecksAndLooksAreDenied) {
  const FallbackCharge charge = Of(OnStoreFailure::kDeny, Veto::kEnforce);
  for (const Operation operation : {Operation::kPeek, Operation::kRefund, Operation::kReset}) {
    Decision decision;
    fallback_.DecideEach(operation, {&charge, 1}, now_, {&decision, 1});
    EXPECT_EQ(decision.allowed, operation != Operation::kPeek);
    EXPECT_EQ(decision.source, Source::kFallback);
  }
}

}  // namespace
}  // namespace sluice::testing
