// Adds up the units an algorithm admits over time: no span of time gets more than the limit allows,
// however callers time their requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/limit/limit.h"
#include "support/core_state.h"
#include "support/oracle_models.h"
#include "support/random.h"
#include "support/random_limit.h"
#include "support/trace.h"

namespace sluice::testing {
namespace {

// Returns everything that a greedy caller is admitted.
History Admitted(const LimitSpec& spec, Random& random) {
  const Limit limit = MustMake(spec);
  CoreState state(limit.terms);
  TraceMaker maker(spec, ZoneOf(spec), random);
  Time now = maker.start();
  Decision last = state.Peek(Cost{0}, now);
  History admitted;
  for (int i = 0; i < 60; ++i) {
    const Time at = maker.NextTime(last);
    now = std::max(now, at);
    const Cost cost = maker.NextCost(last);
    last = state.Check(cost, at);
    // A request counts at the instant at which it goes ahead.
    if (last.allowed)
      admitted.push_back({(now + last.wait).time_since_epoch().count(), cost.units});
  }
  return admitted;
}

// Returns the maximum number of units admitted in any span (t - length, t].
Wide MaxIn(const History& admitted, Wide length) {
  Wide max = 0;
  for (const PastCharge& last : admitted) {
    Wide units = 0;
    for (const PastCharge& charge : admitted) {
      if (charge.at <= last.at && charge.at > last.at - length) units += charge.units;
    }
    max = std::max(max, units);
  }
  return max;
}

TEST(BoundsTest, SlidingLogAdmitsAtMostCountInAnyPeriod) {
  ForEachSeed(300, [](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kSlidingLog, random);
    const Wide max = MaxIn(Admitted(spec, random), spec.rate->period.count());
    EXPECT_TRUE(max <= spec.rate->count) << ToText(spec);
  });
}

TEST(BoundsTest, StrictBucketsAdmitAtMostCountInAnyPeriod) {
  ForEachSeed(300, [](Random& random) {
    LimitSpec spec = RandomLimit(Kind::kSlidingBuckets, random);
    spec.oldest = OldestPart::kStrict;
    const Wide max = MaxIn(Admitted(spec, random), spec.rate->period.count());
    EXPECT_TRUE(max <= spec.rate->count) << ToText(spec);
  });
}

TEST(BoundsTest, FirstRequestWindowAdmitsAtMostTwiceCountInAnyPeriod) {
  ForEachSeed(300, [](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kFirstRequestWindow, random);
    const Wide max = MaxIn(Admitted(spec, random), spec.rate->period.count());
    EXPECT_TRUE(max <= Wide{2} * spec.rate->count) << ToText(spec);
  });
}

// In any span of length x at most the burst plus the units that come back in x may pass. Waits are
// rounded up to whole nanoseconds, so two requests may be one nanosecond closer together than the
// units they wait for.
TEST(BoundsTest, TokenBucketAdmitsAtMostBurstPlusRefill) {
  ForEachSeed(300, [](Random& random) {
    const LimitSpec spec = RandomLimit(Kind::kTokenBucket, random);
    const TickScale scale = ScaleOf(*spec.rate);
    const std::int64_t burst = spec.burst ? spec.burst->numerator : spec.rate->count;
    const History admitted = Admitted(spec, random);
    for (const std::int64_t length : {std::int64_t{1}, spec.rate->period.count(),
                                      random.Spread(1, 10 * spec.rate->period.count())}) {
      const Wide back = Wide{length} * scale.ns / scale.unit;
      EXPECT_TRUE(MaxIn(admitted, length) <= burst + back) << ToText(spec) << " in " << length;
    }
  });
}

}  // namespace
}  // namespace sluice::testing
