// Tests the six promises that hold for every algorithm on the core itself, without the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "core/algorithm/until_more.h"
#include "core/limit/limit.h"
#include "support/core_state.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

constexpr std::int64_t kMaxCost = std::numeric_limits<std::int64_t>::max();

// One step of a trace: the state before and after it, and the decision.
struct Moment {
  const LimitSpec& spec;
  const CoreState& unused;  // a state that was never used
  CoreState before;
  CoreState after;
  Step step;
  Decision decision;
  Time now;  // the time at which the step was taken

  [[nodiscard]] std::string Text() const {
    return "limit " + ToText(spec) + "\n  " + ToText(step) + " -> " + ToText(decision);
  }
  [[nodiscard]] bool CountsRefused() const { return spec.count_refused.value_or(false); }
};

// Walks random traces of random limits and passes every step to body(moment, random).
template <typename Body>
void ForEachMoment(Kind kind, int cases, Body body) {
  ForEachSeed(cases, [&](Random& random) {
    const LimitSpec spec = RandomLimit(kind, random);
    const Limit limit = MustMake(spec);
    if (::testing::Test::HasFailure()) return;
    const CoreState unused(limit.terms, Stagger{random.Bits()});
    CoreState state = unused;
    TraceMaker maker(spec, ZoneOf(spec), random);
    Time now = maker.start();
    Decision last = state.Peek(Cost{0}, now);
    for (int i = 0; i < 25 && !::testing::Test::HasFailure(); ++i) {
      const CoreState before = state;
      const Step step = maker.Next(last);
      now = std::max(now, step.at);
      last = Take(state, step);
      body(Moment{spec, unused, before, state, step, last, now}, random);
    }
  });
}

class PromiseTest : public ::testing::TestWithParam<Kind> {};
// Promises that a pacer does not make, because the next request waits for the cost of this one.
class PromiseOfUnitsTest : public ::testing::TestWithParam<Kind> {};

TEST_P(PromiseTest, RetryAfterIsExactToTheNanosecond) {
  ForEachMoment(GetParam(), 300, [](Moment moment, Random& /*random*/) {
    const Nanos retry_after = moment.decision.retry_after;
    if (moment.step.op == Op::kDebt) {
      EXPECT_TRUE(moment.decision.allowed) << moment.Text();
      EXPECT_EQ(moment.decision.wait, Nanos{0}) << moment.Text();
    }
    if (moment.decision.allowed) {
      EXPECT_EQ(retry_after, Nanos{0}) << moment.Text();
      return;
    }
    EXPECT_GT(retry_after, Nanos{0}) << moment.Text();
    EXPECT_EQ(moment.decision.wait, Nanos{0}) << moment.Text();
    if (retry_after == kNever || retry_after > kLatestTime - moment.now) return;
    const Time then = moment.now + retry_after;
    EXPECT_FALSE(moment.after.Peek(moment.step.cost, then - Nanos{1}).allowed) << moment.Text();
    EXPECT_TRUE(moment.after.Peek(moment.step.cost, then).allowed) << moment.Text();
    EXPECT_TRUE(moment.after.Check(moment.step.cost, then).allowed) << moment.Text();
  });
}

TEST_P(PromiseOfUnitsTest, RemainingIsExact) {
  ForEachMoment(GetParam(), 300, [](Moment moment, Random& /*random*/) {
    const bool may_wait = moment.spec.algorithm == Algorithm::kLeakyBucket;
    const std::int64_t remaining = moment.decision.remaining;
    ASSERT_GE(remaining, 0) << moment.Text();
    ASSERT_LE(remaining, moment.decision.limit) << moment.Text();
    const Decision all = moment.after.Peek(Cost{remaining}, moment.now);
    EXPECT_TRUE(all.allowed && (may_wait || all.wait == Nanos{0})) << moment.Text();
    const Decision more = moment.after.Peek(Cost{remaining + 1}, moment.now);
    EXPECT_TRUE(!more.allowed || (!may_wait && more.wait > Nanos{0})) << moment.Text();
  });
}

TEST_P(PromiseOfUnitsTest, RemainingGrowsExactlyAtReportedTime) {
  ForEachMoment(GetParam(), 300, [](Moment moment, Random& /*random*/) {
    const Terms terms = MustMake(moment.spec).terms;
    const std::int64_t remaining = moment.decision.remaining;
    const Nanos said = UntilMore(terms, moment.decision);
    if (remaining >= moment.decision.limit) {
      EXPECT_EQ(said, Nanos{0}) << moment.Text();
      return;
    }
    const Decision next = moment.after.Peek(Cost{remaining + 1}, moment.now);
    const Nanos more_after = UntilMoreBy(terms, next);
    ASSERT_GT(more_after, Nanos{0}) << moment.Text();
    if (more_after > kLatestTime - moment.now) return;
    const Time then = moment.now + more_after;
    EXPECT_EQ(moment.after.Peek(Cost{0}, then - Nanos{1}).remaining, remaining) << moment.Text();
    EXPECT_GT(moment.after.Peek(Cost{0}, then).remaining, remaining) << moment.Text();
    if (!TellsMore(terms)) {
      EXPECT_EQ(said, Nanos{0}) << moment.Text();
      return;
    }
    // The decision does not contain the fraction of a nanosecond.
    const auto* const bucket = std::get_if<TokenBucket>(&terms);
    const auto* const queue = std::get_if<LeakyBucket>(&terms);
    const bool is_whole = (bucket == nullptr || bucket->interval.ticks_per_ns == 1) &&
                          (queue == nullptr || queue->interval.ticks_per_ns == 1);
    EXPECT_GE(said, more_after) << moment.Text();
    EXPECT_LE(said, more_after + Nanos{is_whole ? 0 : 1}) << moment.Text();
  });
}

TEST_P(PromiseTest, RefusalPeekAndZeroCostKeepTheState) {
  ForEachMoment(GetParam(), 200, [](const Moment& moment, Random& random) {
    const bool is_peek = moment.step.op == Op::kPeek;
    const bool is_free = moment.step.op == Op::kCheck && moment.step.cost.units == 0;
    const bool is_refused = !moment.decision.allowed && !moment.CountsRefused();
    if (is_free) {
      EXPECT_TRUE(moment.decision.allowed) << moment.Text();
    }
    if (!is_peek && !is_free && !is_refused) return;
    SCOPED_TRACE(moment.Text());
    ExpectSameFuture(moment.spec, moment.before, moment.after, moment.now, random);
  });
}

TEST_P(PromiseTest, ForgettingAfterResetAfterIsInvisible) {
  ForEachMoment(GetParam(), 200, [](Moment moment, Random& random) {
    SCOPED_TRACE(moment.Text());
    const Nanos reset_after = moment.decision.reset_after;
    ASSERT_GE(reset_after, Nanos{0});
    if (reset_after == Nanos{0}) {
      EXPECT_LE(moment.after.UnusedFrom(), moment.now);
    } else {
      EXPECT_EQ(moment.after.UnusedFrom(), moment.now + reset_after);
    }
    if (reset_after > kLatestTime - moment.now) return;
    const Time then = moment.now + reset_after;
    if (reset_after > Nanos{0}) {
      EXPECT_EQ(moment.after.Peek(Cost{0}, then - Nanos{1}).reset_after, Nanos{1});
    }
    ExpectSameFuture(moment.spec, moment.after, moment.unused, then, random);
  });
}

TEST_P(PromiseTest, RefundOnUnusedKeyDoesNothing) {
  ForEachMoment(GetParam(), 50, [](const Moment& moment, Random& random) {
    CoreState refunded = moment.unused;
    refunded.Refund(moment.step.cost, moment.now);
    ExpectSameFuture(moment.spec, refunded, moment.unused, moment.now, random);
  });
}

TEST_P(PromiseOfUnitsTest, RefundReturnsAtMostHeldUnits) {
  ForEachMoment(GetParam(), 200, [](const Moment& moment, Random& random) {
    SCOPED_TRACE(moment.Text());
    CoreState some = moment.after;
    const Cost back{random.Spread(0, kMaxCost)};
    const Decision left = some.Refund(back, moment.now);
    EXPECT_TRUE(left.allowed);
    EXPECT_GE(left.remaining, moment.decision.remaining);
    EXPECT_LE(left.remaining, left.limit);
    EXPECT_LE(left.reset_after, moment.decision.reset_after);
    // If something other than units held requests back, giving units back may lift that too.
    const bool by_units_alone = moment.spec.algorithm != Algorithm::kLeakyBucket &&
                                moment.spec.min_gap.value_or(Nanos{0}) == Nanos{0};
    if (by_units_alone) {
      EXPECT_LE(left.remaining - moment.decision.remaining, back.units);
    }
    CoreState everything = moment.after;
    // Debts can add up to more than one refund can express.
    for (int i = 0; i < 25; ++i) everything.Refund(Cost{kMaxCost}, moment.now);
    ExpectSameFuture(moment.spec, everything, moment.unused, moment.now, random);
  });
}

TEST_P(PromiseOfUnitsTest, RefundUndoesNewestCharge) {
  ForEachMoment(GetParam(), 200, [](const Moment& moment, Random& random) {
    if (moment.step.op != Op::kCheck || !moment.decision.allowed) return;
    SCOPED_TRACE(moment.Text());
    CoreState undone = moment.after;
    undone.Refund(moment.step.cost, moment.now);
    ExpectSameFuture(moment.spec, undone, moment.before, moment.now, random);
  });
}

TEST_P(PromiseOfUnitsTest, RefusesOversizedCostWithNever) {
  ForEachMoment(GetParam(), 200, [](const Moment& moment, Random& random) {
    SCOPED_TRACE(moment.Text());
    const std::int64_t min = moment.decision.limit + 1;
    for (const std::int64_t units : {min, random.Between(min, kMaxCost), kMaxCost}) {
      CoreState state = moment.after;
      const Decision peeked = state.Peek(Cost{units}, moment.now);
      const Decision checked = state.Check(Cost{units}, moment.now);
      EXPECT_FALSE(peeked.allowed || checked.allowed);
      EXPECT_EQ(peeked.retry_after, kNever);
      EXPECT_EQ(checked.retry_after, kNever);
      if (moment.CountsRefused()) continue;
      EXPECT_EQ(peeked, checked);
      ExpectSameFuture(moment.spec, state, moment.after, moment.now, random);
    }
  });
}

std::vector<Kind> KindsWithUnits() {
  std::vector<Kind> kinds = RateKinds();
  std::erase(kinds, Kind::kPacer);
  std::erase(kinds, Kind::kWarmUpPacer);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Core, PromiseTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });
INSTANTIATE_TEST_SUITE_P(Core, PromiseOfUnitsTest, ::testing::ValuesIn(KindsWithUnits()),
                         [](const auto& kind) { return NameOf(kind.param); });

TEST(PacerPromiseTest, RefundChangesNothing) {
  for (const Kind kind : {Kind::kPacer, Kind::kWarmUpPacer}) {
    ForEachMoment(kind, 100, [](const Moment& moment, Random& random) {
      CoreState refunded = moment.after;
      refunded.Refund(moment.step.cost, moment.now);
      ExpectSameFuture(moment.spec, refunded, moment.after, moment.now, random);
    });
  }
}

}  // namespace
}  // namespace sluice::testing
