// Compares the quick forms of the algorithms with the general ones, in decisions and states.
#include <gtest/gtest.h>

#include <cstdint>

#include "core/algorithm/quick_bucket.h"
#include "core/algorithm/quick_window.h"
#include "core/limit/limit.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

// Returns a time from zero to several periods after `now`.
Time Later(Time now, Nanos period, Random& random) {
  if (random.OneIn(3)) return now;
  return now + Nanos{random.Spread(0, 3 * period.count())};
}

TEST(CoreQuickTest, QuickBucketMatchesTokenBucket) {
  int quick = 0;
  ForEachSeed(2000, [&quick](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kTokenBucket, random);
    const auto terms = std::get<TokenBucket>(MustMake(spec).terms);
    const auto worked_out = QuickBucket::For(terms);
    if (!worked_out) return;
    ++quick;
    FineTime general;
    FineTime fast;
    Time now{Nanos{random.Spread(0, 2'000'000'000'000'000'000)}};
    for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
      now = Later(now, spec.rate->period, random);
      if (random.OneIn(6)) {
        TakeDebt(terms, general, Cost{random.Spread(1, INT64_MAX)}, now);
        fast = general;
      }
      const Cost cost{random.Spread(1, terms.burst)};
      Decision decision;
      Check(*worked_out, fast, cost, now, decision);
      EXPECT_EQ(ToText(decision), ToText(Check(terms, general, cost, now)));
      EXPECT_EQ(fast.whole, general.whole);
      EXPECT_EQ(fast.fraction, general.fraction);
    }
  });
  EXPECT_GT(quick, 0);
}

TEST(CoreQuickTest, QuickWindowMatchesSlidingWindow) {
  int passed = 0;
  ForEachSeed(2000, [&passed](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kSlidingWindow, random);
    const auto terms = std::get<SlidingWindow>(MustMake(spec).terms);
    const auto worked_out = QuickWindow::For(terms);
    if (!worked_out) return;
    SlidingWindow::State general;
    SlidingWindow::State fast;
    Time now{Nanos{random.Spread(0, 2'000'000'000'000'000'000)}};
    for (int i = 0; i < 40 && !::testing::Test::HasFailure(); ++i) {
      now = Later(now, spec.rate->period, random);
      if (random.OneIn(6)) {
        TakeDebt(terms, general, Cost{random.Spread(1, INT64_MAX)}, now);
        fast = general;
      }
      const Cost cost{random.Spread(1, terms.rate.count)};
      Decision decision;
      const bool passes = Check(*worked_out, fast, cost, now, decision);
      const Decision expected = Check(terms, general, cost, now);
      EXPECT_EQ(passes, expected.allowed);
      if (passes) {
        EXPECT_EQ(ToText(decision), ToText(expected));
      }
      EXPECT_EQ(fast, general);
      passed += passes ? 1 : 0;
    }
  });
  EXPECT_GT(passed, 0);
}

}  // namespace
}  // namespace sluice::testing
