// Tests of what happens to the terms of a remote store when rules are reloaded.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "remote_fixture.h"

namespace sluice::testing {
namespace {

class RemoteReloadTest : public RemoteFixture {
 protected:
  static RuleSpec Leased(RuleSpec rule) {
    rule.consistency = Consistency::kLeased;
    return rule;
  }
  [[nodiscard]] std::shared_ptr<const RemoteTerms> TermsOf(std::size_t limit) const {
    return gate_.rules()->places[limit].remote;
  }
};

TEST_F(RemoteReloadTest, RetiresOnlyTermsThatChangedOrWereRemoved) {
  Use({Leased(Rule("stays", "5/m")), Leased(Rule("changes", "5/m")), Leased(Rule("goes", "5/m"))});
  const auto stays = TermsOf(0);
  const auto changes = TermsOf(1);
  const auto goes = TermsOf(2);
  EXPECT_FALSE(stays->is_retired() || changes->is_retired() || goes->is_retired());
  Use({Leased(Rule("changes", "6/m")), Leased(Rule("stays", "5/m"))});
  EXPECT_EQ(TermsOf(1), stays);
  EXPECT_FALSE(stays->is_retired());
  EXPECT_TRUE(changes->is_retired());
  EXPECT_TRUE(goes->is_retired());
  EXPECT_FALSE(TermsOf(0)->is_retired());
}

TEST_F(RemoteReloadTest, RetiresTermsThatAreNoLongerLeasedUnder) {
  Use({Leased(Rule("a", "5/m"))});
  const auto terms = TermsOf(0);
  Use({Rule("a", "5/m")});
  EXPECT_TRUE(terms->is_retired());
  Use({Leased(Rule("a", "5/m"))});
  EXPECT_EQ(TermsOf(0), terms);
  EXPECT_FALSE(terms->is_retired());
}

TEST_F(RemoteReloadTest, RetiresNothingIfTheRulesAreRejected) {
  Use({Leased(Rule("a", "5/m"))});
  const auto terms = TermsOf(0);
  LimitSpec refused;
  refused.algorithm = Algorithm::kConcurrency;
  refused.max_in_flight = 3;
  EXPECT_FALSE(TryUse({Rule("b", LimitOf(refused))}).ok());
  EXPECT_FALSE(terms->is_retired());
}

}  // namespace
}  // namespace sluice::testing
