// Tests the promises of every decision on the public Limiter, without the oracle. Includes
// staggered windows, because the promises do not depend on the start of a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/limiter.h"
#include "support/core_state.h"
#include "support/fake_clock.h"
#include "support/limiter_subject.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

std::unique_ptr<Limiter> MakeLimiter(Random& random, FakeClock& clock) {
  Limiter::Options options;
  options.memory_bytes = std::uint64_t{64} << 20U;
  options.clock = &clock;
  options.seed = random.Bits();
  auto made = Limiter::Create(options);
  if (made.ok()) return std::move(made).value();
  ADD_FAILURE() << made.error().message;
  return nullptr;
}

// A limiter with one limit; the test uses one key and compares it with a key that is never used.
struct Stage {
  Stage(Kind kind, Random& random) : spec(RandomLimit(kind, random)) {
    TraceMaker first(spec, ZoneOf(spec), random);
    now = first.start();
    clock.Set(now);
    limiter = MakeLimiter(random, clock);
    if (limiter == nullptr) return;
    auto added = limiter->Add("limit", spec);
    if (!added.ok()) {
      ADD_FAILURE() << ToText(spec) << "\n" << added.error().message;
      return;
    }
    handle = added.value();
    maker = std::make_unique<TraceMaker>(spec, ZoneOf(spec), random, now);
  }

  LimiterSubject Key(const std::string& key) { return {*limiter, clock, handle, key}; }

  FakeClock clock;
  LimitSpec spec;
  std::unique_ptr<Limiter> limiter;
  LimitHandle handle;
  std::unique_ptr<TraceMaker> maker;
  Time now{};
};

struct Asked {
  Step step;
  Decision decision;
  std::string text;
};

// Walks a random trace and passes every decision to body(stage, key, asked).
template <typename Body>
void ForEachAnswer(Kind kind, int cases, Body body) {
  ForEachSeed(cases, [&](Random& random) {
    Stage stage(kind, random);
    if (::testing::Test::HasFailure()) return;
    LimiterSubject key = stage.Key("used");
    Decision last = key.Peek(Cost{0}, stage.now);
    for (int i = 0; i < 25 && !::testing::Test::HasFailure(); ++i) {
      stage.maker->CatchUp(stage.now);
      const Step step = stage.maker->Next(last);
      last = Take(key, step);
      stage.now = std::max(stage.now, step.at);
      const std::string text =
          "limit " + ToText(stage.spec) + "\n  " + ToText(step) + " -> " + ToText(last);
      SCOPED_TRACE(text);
      body(stage, key, Asked{step, last, text});
    }
  });
}

class LimiterPromiseTest : public ::testing::TestWithParam<Kind> {};

TEST_P(LimiterPromiseTest, RetryAfterIsExactToTheNanosecond) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    const Nanos retry_after = asked.decision.retry_after;
    if (asked.decision.allowed || retry_after == kNever) return;
    if (retry_after > kLatestTime - stage.now) return;
    const Time then = stage.now + retry_after;
    EXPECT_FALSE(key.Peek(asked.step.cost, then - Nanos{1}).allowed);
    EXPECT_TRUE(key.Check(asked.step.cost, then).allowed);
    stage.now = then;
  });
}

TEST_P(LimiterPromiseTest, RemainingIsExact) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    if (!HasUnits(stage.spec)) {
      EXPECT_EQ(asked.decision.remaining, kNoUnits);
      return;
    }
    const bool may_wait = stage.spec.algorithm == Algorithm::kLeakyBucket;
    const Decision all = key.Peek(Cost{asked.decision.remaining}, stage.now);
    EXPECT_TRUE(all.allowed && (may_wait || all.wait == Nanos{0}));
    const Decision more = key.Peek(Cost{asked.decision.remaining + 1}, stage.now);
    EXPECT_TRUE(!more.allowed || (!may_wait && more.wait > Nanos{0}));
  });
}

TEST_P(LimiterPromiseTest, RefusalPeekAndZeroCostKeepTheState) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    if (stage.spec.count_refused.value_or(false)) return;
    const Decision before = key.Peek(Cost{0}, stage.now);
    const Decision again = key.Peek(asked.step.cost, stage.now);
    if (!again.allowed || asked.step.cost.units == 0) {
      EXPECT_EQ(key.Check(asked.step.cost, stage.now), again);
    }
    EXPECT_EQ(key.Peek(Cost{0}, stage.now), before);
  });
}

TEST_P(LimiterPromiseTest, ForgettingAfterResetAfterIsInvisible) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    const Nanos reset_after = asked.decision.reset_after;
    if (reset_after > kLatestTime - stage.now) return;
    if (reset_after > Nanos{0}) {
      const Decision before = key.Peek(Cost{0}, stage.now + reset_after - Nanos{1});
      EXPECT_EQ(before.reset_after, Nanos{1});
    }
    stage.now += reset_after;
    LimiterSubject unused = stage.Key("never used");
    const Cost cost = asked.step.cost;
    EXPECT_EQ(key.Peek(cost, stage.now), unused.Peek(cost, stage.now));
    const Decision charged = key.Check(cost, stage.now);
    const Decision other = unused.Check(cost, stage.now);
    unused.Reset(stage.now);
    // The staggered windows of two keys end at different times.
    if (stage.spec.window == WindowKind::kStaggered) {
      EXPECT_EQ(charged.remaining, other.remaining);
    } else {
      EXPECT_EQ(charged, other);
    }
  });
}

TEST_P(LimiterPromiseTest, RefundReturnsAtMostHeldUnits) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    const Decision before = key.Peek(Cost{0}, stage.now);
    const Decision left = key.Refund(asked.step.cost, stage.now);
    if (!HasUnits(stage.spec)) {
      EXPECT_EQ(left, before);
      return;
    }
    EXPECT_GE(left.remaining, before.remaining);
    EXPECT_LE(left.remaining, left.limit);
    LimiterSubject unused = stage.Key("never used");
    const Decision nothing = unused.Refund(asked.step.cost, stage.now);
    EXPECT_EQ(nothing, unused.Peek(Cost{0}, stage.now));
    EXPECT_EQ(nothing.reset_after, Nanos{0});
  });
}

TEST_P(LimiterPromiseTest, RefusesOversizedCostWithNever) {
  ForEachAnswer(GetParam(), 100, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    if (!HasUnits(stage.spec)) return;
    const Decision answer = key.Check(Cost{asked.decision.limit + 1}, stage.now);
    EXPECT_FALSE(answer.allowed);
    EXPECT_EQ(answer.retry_after, kNever);
  });
}

TEST_P(LimiterPromiseTest, WaitForSleepsForExactlyTheWait) {
  ForEachAnswer(GetParam(), 50, [](Stage& stage, LimiterSubject& key, const Asked& asked) {
    stage.clock.Set(stage.now);
    const std::size_t before = stage.clock.Sleeps().size();
    const Decision decision = stage.limiter->WaitFor(key.With(asked.step.cost));
    const std::vector<Nanos> sleeps = stage.clock.Sleeps();
    if (decision.allowed && decision.wait > Nanos{0}) {
      ASSERT_EQ(sleeps.size(), before + 1);
      EXPECT_EQ(sleeps.back(), decision.wait);
      stage.now = std::min(kLatestTime, stage.now + decision.wait);
    } else {
      EXPECT_EQ(sleeps.size(), before);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Limiter, LimiterPromiseTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

class LimiterChangeTest : public ::testing::TestWithParam<Kind> {};

// Returns a kind that a limit may be changed to: the same algorithm in any variant.
Kind VariantOf(Kind kind, Random& random) {
  switch (kind) {
    case Kind::kTokenBucket:
    case Kind::kIntervalRefill:
      return random.Pick({Kind::kTokenBucket, Kind::kIntervalRefill});
    case Kind::kAlignedWindow:
    case Kind::kFirstRequestWindow:
    case Kind::kCalendarWindow:
    case Kind::kStaggeredWindow:
      return random.Pick({Kind::kAlignedWindow, Kind::kFirstRequestWindow, Kind::kCalendarWindow,
                          Kind::kStaggeredWindow});
    case Kind::kPacer:
    case Kind::kWarmUpPacer:
      return random.Pick({Kind::kPacer, Kind::kWarmUpPacer});
    default:
      return kind;
  }
}

// Makes a few charges at one instant. Returns the units they took, including those booked ahead.
std::int64_t UseSome(Subject& key, Time now, Random& random) {
  std::int64_t used = 0;
  for (std::int64_t i = random.Between(1, 4); i > 0; --i) {
    const Cost cost{random.Spread(0, key.Peek(Cost{0}, now).limit)};
    if (key.Check(cost, now).allowed) used += cost.units;
  }
  return used;
}

TEST_P(LimiterChangeTest, CarriesUsedUnitsOver) {
  ForEachSeed(100, [](Random& random) {
    Stage stage(GetParam(), random);
    const LimitSpec to = RandomLimit(VariantOf(GetParam(), random), random);
    if (::testing::Test::HasFailure() || !HasUnits(to)) return;
    if (stage.spec.count_refused.value_or(false)) return;
    std::vector<std::int64_t> used;
    for (int i = 0; i < 5; ++i) {
      LimiterSubject key = stage.Key("key " + std::to_string(i));
      used.push_back(UseSome(key, stage.now, random));
    }
    const auto changed = stage.limiter->Change(stage.handle, to);
    ASSERT_TRUE(changed.ok()) << ToText(stage.spec) << " -> " << ToText(to) << "\n"
                              << changed.error().message;
    for (int i = 0; i < 5; ++i) {
      LimiterSubject key = stage.Key("key " + std::to_string(i));
      const Decision left = key.Peek(Cost{0}, stage.now);
      const std::int64_t units = used[static_cast<std::size_t>(i)];
      const std::int64_t want = std::max<std::int64_t>(0, left.limit - units);
      SCOPED_TRACE(ToText(stage.spec) + " -> " + ToText(to) + " used " + std::to_string(units));
      EXPECT_LE(left.remaining, want);
      if (to.min_gap || (GetParam() == Kind::kLeakyBucket && to.max_wait)) continue;
      EXPECT_EQ(left.remaining, want);
    }
  });
}

// Returns how far ahead the next turn of a pacer is.
Nanos Booked(Subject& key, const LimitSpec& spec, Time now) {
  const Decision one = key.Peek(Cost{1}, now);
  return one.allowed ? one.wait : one.retry_after + spec.max_wait.value_or(Nanos{0});
}

TEST(LimiterPacerChangeTest, KeepsBookedTime) {
  ForEachSeed(300, [](Random& random) {
    Stage stage(random.Pick({Kind::kPacer, Kind::kWarmUpPacer}), random);
    LimitSpec to = RandomLimit(VariantOf(Kind::kPacer, random), random);
    if (::testing::Test::HasFailure()) return;
    // Close to the longest span a request may be refused for other reasons.
    if (stage.spec.rate->period > kLongestSpan / 100) return;
    if (to.rate->period > kLongestSpan / 100) return;
    LimiterSubject key = stage.Key("used");
    for (std::int64_t i = random.Between(1, 3); i > 0; --i) {
      key.Check(Cost{random.Spread(1, 2 * stage.spec.rate->count)}, stage.now);
    }
    const Nanos before = Booked(key, stage.spec, stage.now);
    ASSERT_TRUE(stage.limiter->Change(stage.handle, to).ok());
    const Nanos after = Booked(key, to, stage.now);
    SCOPED_TRACE(ToText(stage.spec) + " -> " + ToText(to));
    EXPECT_GE(after, before);
    EXPECT_LE(after, before + Nanos{1});
  });
}

// A key in any state must be as the core converts it, wherever the limiter keeps it. A limiter may
// round used units up to a whole unit, never down.
TEST_P(LimiterChangeTest, ConvertsKeyInUseLikeTheCore) {
  if (GetParam() == Kind::kStaggeredWindow) return;
  ForEachSeed(300, [](Random& random) {
    Stage stage(GetParam(), random);
    const LimitSpec to = RandomLimit(GetParam(), random);
    if (::testing::Test::HasFailure()) return;
    LimiterSubject key = stage.Key("used");
    CoreState state(MustMake(stage.spec).terms);
    std::string story;
    Decision last = key.Peek(Cost{0}, stage.now);
    for (int i = 0; i < 8; ++i) {
      stage.maker->CatchUp(stage.now);
      Step step = stage.maker->Next(last);
      stage.now = std::max(stage.now, step.at);
      step.at = stage.now;
      last = Take(key, step);
      Take(state, step);
      story += "  " + ToText(step) + " -> " + ToText(last) + "\n";
    }
    ASSERT_TRUE(stage.limiter->Change(stage.handle, to).ok());
    state.Change(MustMake(to).terms, stage.now);
    const Decision left = key.Peek(Cost{1}, stage.now);
    const Decision want = state.Peek(Cost{1}, stage.now);
    SCOPED_TRACE(ToText(stage.spec) + " -> " + ToText(to) + "\n" + story + "  left " +
                 ToText(left) + "\n  core " + ToText(want));
    EXPECT_LE(left.remaining, want.remaining);
    EXPECT_GE(left.remaining, want.remaining - 1);
    EXPECT_GE(left.wait + left.retry_after, want.wait + want.retry_after);
    EXPECT_GE(left.reset_after, want.reset_after);
  });
}

INSTANTIATE_TEST_SUITE_P(Limiter, LimiterChangeTest, ::testing::ValuesIn(RateKinds()),
                         [](const auto& kind) { return NameOf(kind.param); });

}  // namespace
}  // namespace sluice::testing
