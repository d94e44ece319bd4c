// Tests of local charges that cannot be given back, in requests that a remote store decides, too.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "gate/gate_session.h"
#include "remote_fixture.h"

namespace sluice::testing {
namespace {

using namespace std::chrono_literals;

// The limits under test allow one unit per minute: after one charge the next is refused.
LimitSpec OneAMinute(Algorithm algorithm) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{1, 1min};
  return spec;
}

LimitSpec WarmUp() {
  LimitSpec spec = OneAMinute(Algorithm::kPacer);
  spec.warm_up = 1s;
  return spec;
}

LimitSpec Gap() {
  LimitSpec spec = OneAMinute(Algorithm::kSlidingLog);
  spec.rate = Rate{5, 1min};
  spec.min_gap = 1min;
  return spec;
}

LimitSpec CountRefused() {
  LimitSpec spec = OneAMinute(Algorithm::kSlidingLog);
  spec.count_refused = true;
  return spec;
}

LimitSpec FirstRequest() {
  LimitSpec spec = OneAMinute(Algorithm::kFixedWindow);
  spec.window = WindowKind::kFirstRequest;
  return spec;
}

LimitSpec Interval() {
  LimitSpec spec = OneAMinute(Algorithm::kTokenBucket);
  spec.refill = Refill::kInterval;
  return spec;
}

class RemoteDeferTest : public RemoteFixture {
 protected:
  // Returns the time until the local limit is unused.
  Nanos LocalReset() {
    Ask(1, Purpose::kLook);
    remote_.Answer();
    return later_.verdict.decisions()[0].decision.reset_after;
  }
};

class EachDeferTest : public RemoteDeferTest, public ::testing::WithParamInterface<LimitSpec> {};

TEST_P(EachDeferTest, RequestRefusedByTheRemoteTakesNothingLocally) {
  Use({Local(Rule("near", LimitOf(GetParam()))), Rule("far", "1/h")});
  ASSERT_TRUE(Check().allowed());
  clock_.Advance(10min);
  ASSERT_EQ(LocalReset(), 0s);
  Ask();
  clock_.Advance(3ms);
  remote_.Answer();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_TRUE(later_.verdict.decisions()[0].decision.allowed);
  EXPECT_EQ(LocalReset(), 0s);
}

TEST_P(EachDeferTest, RequestPassedByTheRemoteIsChargedOnce) {
  Use({Local(Rule("near", LimitOf(GetParam()))), Rule("far", "9/h")});
  EXPECT_TRUE(Check().allowed());
  EXPECT_GT(LocalReset(), 0s);
  EXPECT_EQ(Check().kind(), VerdictKind::kRefused);
  EXPECT_FALSE(later_.verdict.decisions()[0].decision.allowed);
  EXPECT_EQ(remote_.Left(), 8);
}

// Both requests saw room, and the one that is answered first takes it.
TEST_P(EachDeferTest, RefusesUnitsTakenMeanwhileAndRefundsTheRemote) {
  Use({Local(Rule("near", LimitOf(GetParam()))), Rule("far", "9/h")});
  Ask();
  Ask();
  remote_.Answer();
  EXPECT_TRUE(later_.verdict.allowed());
  EXPECT_EQ(remote_.Left(), 8);
  remote_.Answer();
  EXPECT_EQ(later_.times, 2);
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_FALSE(later_.verdict.decisions()[0].decision.allowed);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 8);
  ASSERT_EQ(remote_.waiting(), 1U) << "units on their way back";
  EXPECT_EQ(remote_.oldest().operation, Operation::kRefund);
  EXPECT_TRUE(remote_.oldest().undoes);
  EXPECT_EQ(remote_.Left(), 7);
  remote_.Answer();
  EXPECT_EQ(remote_.Left(), 8);
  EXPECT_EQ(later_.times, 2) << "the verdict was there before";
  EXPECT_EQ(remote_.waiting(), 0U);
}

TEST_P(EachDeferTest, TakesNothingLocallyIfTheFallbackRefuses) {
  Use({Local(Rule("near", LimitOf(GetParam()))),
       OnFailure(OnStoreFailure::kDeny, Rule("far", "9/h"))});
  Ask();
  remote_.PassDeadline();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  remote_.Answer();
  EXPECT_EQ(remote_.oldest().operation, Operation::kRefund);
  remote_.Answer();
  EXPECT_EQ(LocalReset(), 0s);
  EXPECT_EQ(remote_.Left(), 9);
}

TEST_P(EachDeferTest, ChargesOnceIfTheFallbackAllows) {
  Use({Local(Rule("near", LimitOf(GetParam()))), Rule("far", "9/h")});
  remote_.is_away = true;
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_TRUE(now_.allowed());
  EXPECT_EQ(Ask(), GateSession::Decided::kNow);
  EXPECT_EQ(now_.kind(), VerdictKind::kRefused);
  EXPECT_FALSE(now_.decisions()[0].decision.allowed);
  EXPECT_EQ(now_.decisions()[1].decision.remaining, 8) << "the share was charged once";
}

// The share holds the request's units only for a moment.
TEST_P(EachDeferTest, RefundsTheShareIfLocalUnitsWereTakenMeanwhile) {
  Use({Local(Rule("near", LimitOf(GetParam()))), Rule("far", "9/h")});
  Ask();
  Ask();
  remote_.Answer();
  ASSERT_TRUE(later_.verdict.allowed());
  remote_.Fail(RemoteOutcome::kNotApplied);
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 8);
  remote_.is_away = true;
  Ask(1, Purpose::kLook);
  EXPECT_EQ(now_.decisions()[1].decision.remaining, 8) << "of the request that passed";
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EachDeferTest,
                         ::testing::Values(OneAMinute(Algorithm::kPacer), WarmUp(), Gap(),
                                           OneAMinute(Algorithm::kSlidingLog), CountRefused(),
                                           FirstRequest(), Interval(),
                                           OneAMinute(Algorithm::kTokenBucket)),
                         [](const auto& each) { return "Limit" + std::to_string(each.index); });

// A bucket refills while requests wait for the remote store, so units that are given back when it
// refuses would be units of others.
TEST_F(RemoteDeferTest, RequestRefusedByTheRemoteGivesBackNoUnitsOfOthers) {
  Use({Local(Rule("near", "10/s")), PerUser(Rule("far", "1/h"))});
  const std::vector<Attribute> user{{"user", "42"}};
  const auto ask = [&](std::span<const Attribute> attributes) {
    const AttributeSet set{attributes, Cost{1}};
    return session_.Decide({"api", {&set, 1}}, now_, later_);
  };
  const auto pass_without_user = [&] {
    int passed = 0;
    while (ask({}) == GateSession::Decided::kNow && now_.allowed()) ++passed;
    return passed;
  };
  ask(user);
  remote_.Answer();
  ASSERT_TRUE(later_.verdict.allowed());
  clock_.Advance(1s);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(ask(user), GateSession::Decided::kLater);
  clock_.Advance(1s);
  EXPECT_EQ(pass_without_user(), 10);
  for (int i = 0; i < 10; ++i) remote_.Answer();
  EXPECT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(pass_without_user(), 0);
}

// Two requests compete for one pacer: the second finds it taken.
TEST_F(RemoteDeferTest, TakesDeferredLocalLimitsAllOrNone) {
  LimitSpec slow = OneAMinute(Algorithm::kPacer);
  Use({Local(Rule("near", LimitOf(slow))), Local(Rule("other", "3/h")), Rule("far", "9/h")});
  Ask();
  Ask();
  remote_.Answer();
  ASSERT_TRUE(later_.verdict.allowed());
  remote_.Answer();
  ASSERT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(later_.verdict.decisions()[1].decision.remaining, 2) << "what was held is given back";
}

// The key is on a shared state, which gives nothing back.
TEST_F(RemoteDeferTest, RequestRefusedByTheRemoteTakesNothingFromASharedState) {
  auto small = MemoryStore::Create({.memory_bytes = std::uint64_t{16} << 20U, .seed = {1, 2}});
  ASSERT_TRUE(small.ok());
  MemoryStore& store = *small.value();
  Gate gate{store, clock_, &limits_};
  GateSession session{gate, {.remote = &remote_, .timeout = 5ms}};
  DomainSpec domain;
  domain.name = "api";
  domain.rules = {Local(PerUser(Rule("near", "5/h"))), Rule("far", "1/d")};
  RuleSetSpec spec;
  spec.domains.push_back(std::move(domain));
  ASSERT_TRUE(gate.Use(RuleSet::Make(std::move(spec))).ok());
  FillMemory(store, clock_.Now());
  const auto ask = [&](Purpose purpose) {
    const std::vector<Attribute> attributes{{"user", "42"}};
    const AttributeSet set{attributes, Cost{1}, purpose};
    EXPECT_EQ(session.Decide({"api", {&set, 1}}, now_, later_), GateSession::Decided::kLater);
    remote_.Answer();
    return later_.verdict.decisions()[0].decision;
  };
  Decision first = ask(Purpose::kTake);
  ASSERT_TRUE(later_.verdict.allowed());
  ASSERT_EQ(first.source, Source::kOverflow) << "the memory is full";
  EXPECT_EQ(ask(Purpose::kTake).remaining, first.remaining);
  ASSERT_EQ(later_.verdict.kind(), VerdictKind::kRefused);
  EXPECT_EQ(ask(Purpose::kLook).remaining, first.remaining);
}

}  // namespace
}  // namespace sluice::testing
