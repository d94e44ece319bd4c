// Tests of shares of a limit: what they record from the remote store, and what they admit while it
// is unavailable.
#include <gtest/gtest.h>

#include <chrono>

#include "gate/gate_session.h"
#include "remote_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

class RemoteSharesTest : public RemoteFixture {};

// Invariant (3) of Gate.
TEST_F(RemoteSharesTest, SharesOfAllNodesAddUpToTheLimit) {
  Use({Rule("a", "100/m")});
  remote_.is_away = true;
  ASSERT_TRUE(gate_.SetFleetSize({4}));
  int allowed = 0;
  for (int i = 0; i < 100; ++i) {
    Ask();
    allowed += now_.allowed() ? 1 : 0;
  }
  EXPECT_EQ(allowed, 25);
  // Admitted units stay recorded while nodes come and go.
  ASSERT_TRUE(gate_.SetFleetSize({2}));
  for (int i = 0; i < 100; ++i) {
    Ask();
    allowed += now_.allowed() ? 1 : 0;
  }
  EXPECT_EQ(allowed, 50);
}

TEST_F(RemoteSharesTest, ReportsWhenTheShareHasMore) {
  gate_.ReportGrowth(true);
  GateSession session(gate_, {.remote = &remote_, .timeout = std::chrono::milliseconds{5}});
  Use({Rule("a", "4/m")});
  remote_.is_away = true;
  ASSERT_TRUE(gate_.SetFleetSize({2}));
  const AttributeSet set{{}, Cost{1}};
  session.Decide({"api", {&set, 1}}, now_, later_);
  ASSERT_EQ(now_.decisions()[0].decision.source, Source::kFallback);
  // Two units, each of which comes back in 30 s.
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 1);
  EXPECT_EQ(now_.more_after(), std::chrono::seconds{30});
}

// Invariant (4) of PendingRequest.
TEST_F(RemoteSharesTest, ShareStartsFromWhatTheRemoteAdmitted) {
  Use({Rule("a", "5/m")});
  EXPECT_TRUE(Check(3).allowed());
  remote_.is_away = true;
  Ask();
  EXPECT_EQ(now_.decisions()[0].decision.source, Source::kFallback);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 1);
  // The remote store does not know what the fallback admits; the share is charged once.
  remote_.is_away = false;
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(remote_.Left(), 1);
  remote_.is_away = true;
  Ask();
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
}

TEST_F(RemoteSharesTest, UsedUpShareDoesNotRefuseWhatTheRemoteAdmits) {
  Use({Rule("a", "100/m")});
  ASSERT_TRUE(gate_.SetFleetSize({4}));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Check(20).allowed());
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 0);
  // The share is not below zero: its part of the rate is available at once.
  clock_.Advance(2400ms);
  Ask();
  EXPECT_TRUE(now_.allowed());
}

TEST_F(RemoteSharesTest, SharesFollowRefundsAndResets) {
  Use({Rule("a", "5/m")});
  Check(4);
  Ask(2, Purpose::kGiveBack);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 3);
  remote_.is_away = false;
  Ask(1, Purpose::kForget);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 5);
}

TEST_F(RemoteSharesTest, RefusalsAndLooksLeaveSharesUncharged) {
  Use({Rule("a", "5/m"), Rule("b", "2/m")});
  EXPECT_FALSE(Check(3).allowed());
  Ask(1, Purpose::kLook);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 5);
  EXPECT_EQ(now_.decisions()[1].decision.remaining, 2);
}

TEST_F(RemoteSharesTest, LateAnswersDoNotChargeSharesTwice) {
  Use({Rule("a", "10/m")});
  Ask(3);
  remote_.PassDeadline();
  remote_.Answer();
  // Refused here and charged there too late: in the end neither is charged.
  Ask(8);
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  remote_.Answer();
  remote_.is_away = true;
  Ask(0);
  EXPECT_EQ(now_.decisions()[0].decision.remaining, 7);
}

TEST_F(RemoteSharesTest, ChargesOnlySharesThatFollow) {
  RuleSpec eventual = Rule("f", "9/m");
  eventual.consistency = Consistency::kEventual;
  LimitSpec spec;
  spec.algorithm = Algorithm::kFixedWindow;
  spec.rate = Rate{10, 1min};
  spec.count_refused = true;
  Use({OnFailure(OnStoreFailure::kAllow, Rule("a", "9/m")),
       OnFailure(OnStoreFailure::kDeny, Rule("b", "9/m")), Rule("c", LimitOf(spec)),
       Local(Rule("d", "9/m")), Rule("e", "9/m"), eventual});
  EXPECT_TRUE(Check().allowed());
  EXPECT_EQ(store_->StatsApprox().keys, 2U);  // for d and e
}

// Counts what passes while the remote store fails and recovers every second, for a caller that
// always asks for more: the rate, a burst, and what the remote store has refilled during each
// failure.
TEST_F(RemoteSharesTest, FlappingDoesNotDoubleTheLimit) {
  Use({Rule("a", "10/s")});
  const Time begin = clock_.Now();
  int allowed = 0;
  for (int i = 0; i < 20'000; ++i) {
    remote_.is_away = (i / 1000) % 2 == 1;
    const bool is_now = Ask() == GateSession::Decided::kNow;
    if (!is_now) remote_.Answer();
    allowed += (is_now ? now_ : later_.verdict).allowed() ? 1 : 0;
    clock_.Advance(1ms);
  }
  EXPECT_EQ(clock_.Now() - begin, 20s);
  EXPECT_LE(allowed, 10 + 20 * 10 + 10 * 10);
}

TEST_F(RemoteSharesTest, ShareStateSurvivesFlapping) {
  Use({Rule("a", "6/m")});
  for (int i = 0; i < 3; ++i) {
    remote_.is_away = true;
    Ask();
    EXPECT_EQ(now_.decisions()[0].decision.remaining, 5 - 2 * i);
    remote_.is_away = false;
    EXPECT_TRUE(Check().allowed());
  }
}

// Terms of a pacer stay in use for years.
TEST_F(RemoteSharesTest, FleetOfAnySizeLeavesRoomForNewTerms) {
  const auto pacer = [](std::int64_t count) {
    LimitSpec spec;
    spec.algorithm = Algorithm::kPacer;
    spec.rate = Rate{count, 1h};
    return Rule("a", LimitOf(spec));
  };
  Use({pacer(1000)});
  for (std::uint32_t nodes = 1; nodes <= 2000; ++nodes) {
    ASSERT_TRUE(gate_.SetFleetSize({nodes}));
    clock_.Advance(1s);
  }
  Use({pacer(2000)});
  Use({pacer(3000)});
}

// If the store has no room for the terms of a share, a smaller share is used.
TEST_F(RemoteSharesTest, UsesTheShareOfALargerFleetIfTermsAreFull) {
  const auto rule = [](std::int64_t count) {
    return Rule("a", LimitOf(LimitSpec{.rate = Rate{count, 1h}, .burst = Fraction{1}}));
  };
  Use({rule(1000)});
  ASSERT_TRUE(gate_.SetFleetSize({16}));
  ASSERT_TRUE(gate_.SetFleetSize({2}));
  for (std::int64_t count = 1; TryUse({rule(count)}).ok(); ++count) ASSERT_LT(count, 300);
  Use({rule(1000)});
  remote_.is_away = true;
  ASSERT_TRUE(gate_.SetFleetSize({9}));
  Ask();
  EXPECT_TRUE(now_.allowed());
  Ask();
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_EQ(now_.retry_after(), 16 * 3600ms);
}

}  // namespace
}  // namespace sluice::testing
