#include "remote/cache/near_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "support/random_limit.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::MustMake;

LimitSpec SpecOf(Algorithm algorithm) {
  LimitSpec spec;
  spec.algorithm = algorithm;
  spec.rate = Rate{100, minutes{1}};
  return spec;
}

TEST(NearLimitTest, RejectsLimitsThatCountRefusalsOrWait) {
  std::vector<LimitSpec> exact;
  exact.push_back(SpecOf(Algorithm::kLeakyBucket));
  exact.push_back(SpecOf(Algorithm::kPacer));
  exact.push_back(SpecOf(Algorithm::kTokenBucket));
  exact.back().max_wait = seconds{1};
  exact.push_back(SpecOf(Algorithm::kTokenBucket));
  exact.back().refill = Refill::kInterval;
  exact.back().max_wait = seconds{1};
  exact.push_back(SpecOf(Algorithm::kFixedWindow));
  exact.back().count_refused = true;
  exact.push_back(SpecOf(Algorithm::kSlidingLog));
  exact.back().count_refused = true;
  exact.push_back(SpecOf(Algorithm::kSlidingLog));
  exact.back().min_gap = milliseconds{1};
  for (const LimitSpec& spec : exact) {
    const Limit limit = MustMake(spec);
    EXPECT_FALSE(IsPlain(limit)) << testing::ToText(spec);
    EXPECT_FALSE(HasWholeState(limit)) << testing::ToText(spec);
    EXPECT_FALSE(LeaseLife(limit)) << testing::ToText(spec);
  }
}

TEST(NearLimitTest, LimitsALeaseToATenthOfThePeriodAndASecond) {
  LimitSpec spec = SpecOf(Algorithm::kTokenBucket);
  EXPECT_EQ(LeaseLife(MustMake(spec)), seconds{1});
  spec.rate = Rate{100, seconds{2}};
  EXPECT_EQ(LeaseLife(MustMake(spec)), milliseconds{200});
  spec.rate = Rate{100, milliseconds{499}};
  EXPECT_FALSE(LeaseLife(MustMake(spec)));
  spec = SpecOf(Algorithm::kSlidingBuckets);  // its parts are one second long
  EXPECT_EQ(LeaseLife(MustMake(spec)), milliseconds{500});
  spec = SpecOf(Algorithm::kSlidingLog);
  EXPECT_EQ(LeaseLife(MustMake(spec)), seconds{1});
  EXPECT_FALSE(HasWholeState(MustMake(spec)));
  spec = SpecOf(Algorithm::kSlidingWindow);
  EXPECT_EQ(LeaseLife(MustMake(spec)), seconds{1});
}

}  // namespace
}  // namespace sluice
