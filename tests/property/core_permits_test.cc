// Compares the permits of a concurrency limit with the oracle, and tests the promises that apply.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <variant>

#include "core/limit/limit.h"
#include "support/core_state.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

enum class PermitOp { kAcquire, kRenew, kRelease, kPeek, kReset };

struct PermitStep {
  PermitOp op = PermitOp::kAcquire;
  std::uint64_t id = 0;
  Cost cost;
  Time at{};
};

std::string StepText(const PermitStep& step) {
  static const char* const names[] = {"acquire", "renew", "release", "peek", "reset"};
  std::ostringstream text;
  text << "t " << step.at.time_since_epoch().count() << " " << names[static_cast<int>(step.op)]
       << " id " << step.id << " cost " << step.cost.units;
  return text.str();
}

// Each id always has the same cost, so that a repeated acquire is a retry of the first.
Cost CostOf(std::uint64_t id, std::int64_t max) {
  if (id == 1) return Cost{max + 1};
  if (id == 2) return Cost{max};
  if (id == 3) return Cost{std::max<std::int64_t>(1, max / 2)};
  return Cost{1 + static_cast<std::int64_t>(id % 3 == 0)};
}

PermitStep RandomStep(Random& random, TraceMaker& maker, const Decision& last) {
  PermitStep step;
  step.at = maker.NextTime(last);
  step.id = static_cast<std::uint64_t>(random.Between(1, 24));
  step.cost = random.OneIn(20) ? Cost{0} : CostOf(step.id, last.limit);
  const std::int64_t dice = random.Between(1, 100);
  if (dice > 60) step.op = PermitOp::kRelease;
  if (dice > 75) step.op = PermitOp::kRenew;
  if (dice > 88) {
    step.op = PermitOp::kPeek;
    step.cost = maker.NextCost(last);
  }
  if (dice > 99) step.op = PermitOp::kReset;
  return step;
}

Decision TakeCore(CoreState& state, const PermitStep& step) {
  switch (step.op) {
    case PermitOp::kAcquire:
      return state.Acquire(PermitId{step.id}, step.cost, step.at);
    case PermitOp::kRenew:
      return state.Renew(PermitId{step.id}, step.at);
    case PermitOp::kRelease:
      return state.Release(PermitId{step.id}, step.at);
    case PermitOp::kPeek:
      return state.Peek(step.cost, step.at);
    case PermitOp::kReset:
      return state.Reset(step.at);
  }
  return {};
}

Decision TakeModel(Model& model, const PermitStep& step) {
  switch (step.op) {
    case PermitOp::kAcquire:
      return model.Acquire(step.id, step.cost, step.at);
    case PermitOp::kRenew:
      return model.Renew(step.id, step.at);
    case PermitOp::kRelease:
      return model.Release(step.id, step.at);
    case PermitOp::kPeek:
      return model.Peek(step.cost, step.at);
    case PermitOp::kReset:
      return model.Reset(step.at);
  }
  return {};
}

TEST(PermitsOracleTest, MatchesOracleInEveryField) {
  ForEachSeed(500, [](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kConcurrency, random);
    const Limit limit = MustMake(spec);
    if (::testing::Test::HasFailure()) return;
    CoreState state(limit.terms);
    const auto model = Model::Make(spec, nullptr, 0);
    TraceMaker maker(spec, nullptr, random);
    Decision last = state.Peek(Cost{0}, maker.start());
    model->Peek(Cost{0}, maker.start());
    std::ostringstream story;
    for (int i = 0; i < 80; ++i) {
      const PermitStep step = RandomStep(random, maker, last);
      last = TakeCore(state, step);
      const Decision want = TakeModel(*model, step);
      story << "  " << StepText(step) << " -> " << ToText(last) << "\n";
      ASSERT_EQ(last, want) << "limit " << ToText(spec) << "\n"
                            << story.str() << "  expected " << ToText(want);
    }
  });
}

// Walks random traces and passes every state to body(state, step, decision, now).
template <typename Body>
void ForEachPermitMoment(int cases, Body body) {
  ForEachSeed(cases, [&](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kConcurrency, random);
    const Limit limit = MustMake(spec);
    if (::testing::Test::HasFailure()) return;
    CoreState state(limit.terms);
    TraceMaker maker(spec, nullptr, random);
    Time now = maker.start();
    Decision last = state.Peek(Cost{0}, now);
    for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
      const PermitStep step = RandomStep(random, maker, last);
      now = std::max(now, step.at);
      last = TakeCore(state, step);
      SCOPED_TRACE("limit " + ToText(spec) + "\n  " + StepText(step) + " -> " + ToText(last));
      body(state, step, last, now);
    }
  });
}

TEST(PermitsPromiseTest, RetryAfterIsExactToTheNanosecond) {
  ForEachPermitMoment(
      200, [](CoreState state, const PermitStep& step, const Decision& decision, Time now) {
        if (decision.allowed || decision.retry_after == kNever) return;
        if (decision.retry_after > kLatestTime - now) return;
        const Time then = now + decision.retry_after;
        EXPECT_FALSE(state.Peek(step.cost, then - Nanos{1}).allowed);
        EXPECT_TRUE(state.Acquire(PermitId{step.id}, step.cost, then).allowed);
      });
}

TEST(PermitsPromiseTest, RemainingIsExact) {
  ForEachPermitMoment(
      200, [](CoreState state, const PermitStep& /*step*/, const Decision& decision, Time now) {
        EXPECT_TRUE(state.Peek(Cost{decision.remaining}, now).allowed);
        EXPECT_FALSE(state.Peek(Cost{decision.remaining + 1}, now).allowed);
        CoreState taken = state;
        EXPECT_FALSE(taken.Acquire(PermitId{1'000}, Cost{decision.remaining + 1}, now).allowed);
        EXPECT_TRUE(taken.Acquire(PermitId{1'000}, Cost{decision.remaining}, now).allowed);
      });
}

TEST(PermitsPromiseTest, SecondReleaseChangesNothing) {
  ForEachPermitMoment(
      200, [](CoreState state, const PermitStep& step, const Decision& /*decision*/, Time now) {
        const Decision once = state.Release(PermitId{step.id}, now);
        EXPECT_EQ(state.Release(PermitId{step.id}, now), once);
        EXPECT_EQ(state.Renew(PermitId{step.id}, now).retry_after, kNever);
      });
}

TEST(PermitsPromiseTest, EverythingIsFreeAfterResetAfter) {
  ForEachPermitMoment(
      200, [](CoreState state, const PermitStep& /*step*/, const Decision& decision, Time now) {
        if (decision.reset_after == Nanos{0}) {
          EXPECT_LE(state.UnusedFrom(), now);
          return;
        }
        EXPECT_EQ(state.UnusedFrom(), now + decision.reset_after);
        const Decision before = state.Peek(Cost{0}, now + decision.reset_after - Nanos{1});
        EXPECT_LT(before.remaining, before.limit);
        const Decision after = state.Peek(Cost{0}, now + decision.reset_after);
        EXPECT_EQ(after.remaining, after.limit);
        EXPECT_EQ(after.reset_after, Nanos{0});
      });
}

}  // namespace
}  // namespace sluice::testing
