// Tests of the calls that a request refused by the deny cache makes to the remote store.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "remote_fixture.h"
#include "store/node_cache.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

// Reports the keys of one limit as empty.
class OneEmptyLimit final : public NodeCache {
 public:
  [[nodiscard]] Answer Take(const RemoteItem& item, CacheMode /*cache_mode*/, Time /*now*/,
                            Decision& decision) override {
    if (item.terms->limit().spec.rate->count != empty_count) return Answer::kUnknown;
    decision = {.allowed = false, .source = Source::kEmptyKey, .limit = 7, .retry_after = 1s};
    return Answer::kDecided;
  }
  void GiveBack(const RemoteItem& /*item*/, const Hold& /*hold*/, Time /*now*/,
                Decision& /*decision*/) override {}
  [[nodiscard]] bool Refund(const RemoteItem& /*item*/, CacheMode /*cache_mode*/, Time /*now*/,
                            Decision& /*decision*/) override {
    return false;
  }
  void Forget(const FleetKey& /*key*/, Operation /*operation*/) override {}

  std::int64_t empty_count = 7;
};

class DenyCacheTest : public RemoteFixture {
 protected:
  static RuleSpec Cached(RuleSpec rule) {
    rule.deny_cache = true;
    return rule;
  }
  GateSession::Decided AskNear() {
    const std::vector<Attribute> attributes{{"user", "42"}};
    const AttributeSet set{attributes, Cost{1}, Purpose::kTake};
    return near_session_.Decide({"api", {&set, 1}}, now_, later_);
  }
  // Returns the number of items in the pending call.
  [[nodiscard]] std::size_t PendingCharge() const {
    return remote_.waiting() == 0 ? 0 : remote_.oldest().items.size();
  }

  OneEmptyLimit nearby_;
  GateSession near_session_{gate_, {.remote = &remote_, .node_cache = &nearby_, .timeout = 5ms}};
};

TEST_F(DenyCacheTest, RefusedRequestDoesNotAskTheRemote) {
  Use({Cached(Rule("empty", "7/m")), Rule("other", "5/m"), Cached(Rule("third", "6/m"))});
  ASSERT_EQ(AskNear(), GateSession::Decided::kNow);
  EXPECT_EQ(remote_.waiting(), 0U);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.retry_after(), 1s);
  for (const std::size_t other : {1U, 2U}) {
    const Decision& decision = now_.decisions()[other].decision;
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.remaining, kNoUnits);
    EXPECT_EQ(decision.source, Source::kEmptyKey);
  }
}

TEST_F(DenyCacheTest, RefusedRequestStillSendsDebtsAndCountsRefusals) {
  RuleSpec debt = Rule("debt", "5/m");
  debt.debt = true;
  LimitSpec counting = LimitOf("6/m").spec;
  counting.algorithm = Algorithm::kFixedWindow;
  counting.count_refused = true;
  Use({Cached(Rule("empty", "7/m")), debt, Rule("counting", LimitOf(counting)),
       Rule("other", "4/m")});
  ASSERT_EQ(AskNear(), GateSession::Decided::kLater);
  EXPECT_EQ(PendingCharge(), 2U);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.decisions()[3].decision.remaining, kNoUnits);
}

TEST_F(DenyCacheTest, RefusalInShadowChangesNothing) {
  Use({Shadow(Cached(Rule("empty", "7/m"))), Rule("other", "5/m")});
  ASSERT_EQ(AskNear(), GateSession::Decided::kLater);
  EXPECT_EQ(PendingCharge(), 1U);
  remote_.Answer();
  EXPECT_TRUE(later_.verdict.allowed());
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 4);
}

}  // namespace
}  // namespace sluice::testing
