#include "core/limit/limit_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

using Names = std::vector<std::string_view>;

TEST(LimitKeysTest, ListsKeysOfEachAlgorithm) {
  EXPECT_EQ(KeyNames(Algorithm::kTokenBucket),
            (Names{"algorithm", "rate", "burst", "refill", "aligned", "max_wait"}));
  EXPECT_EQ(KeyNames(Algorithm::kLeakyBucket),
            (Names{"algorithm", "rate", "burst", "max_wait", "delay_after"}));
  EXPECT_EQ(KeyNames(Algorithm::kFixedWindow),
            (Names{"algorithm", "rate", "window", "zone", "count_refused"}));
  EXPECT_EQ(KeyNames(Algorithm::kSlidingLog),
            (Names{"algorithm", "rate", "count_refused", "min_gap"}));
  EXPECT_EQ(KeyNames(Algorithm::kSlidingWindow), (Names{"algorithm", "rate"}));
  EXPECT_EQ(KeyNames(Algorithm::kSlidingBuckets),
            (Names{"algorithm", "rate", "buckets", "oldest"}));
  EXPECT_EQ(KeyNames(Algorithm::kPacer),
            (Names{"algorithm", "rate", "burst", "max_wait", "warm_up", "cold_factor"}));
  EXPECT_EQ(KeyNames(Algorithm::kConcurrency), (Names{"algorithm", "max_in_flight", "ttl"}));
  EXPECT_EQ(AllKeyNames().size(), LimitKeys().size() + 1);
}

TEST(LimitKeysTest, FindsKeyOfOtherAlgorithm) {
  LimitSpec spec;
  spec.rate = Rate{1, std::chrono::seconds{1}};
  EXPECT_FALSE(FindStrayKey(spec).has_value());
  spec.ttl = Nanos{1};
  EXPECT_EQ(FindStrayKey(spec)->key, "ttl");
  EXPECT_EQ(FindStrayKey(spec)->message, "'ttl' belongs to concurrency, not token_bucket");
}

TEST(LimitKeysTest, FindsKeyOfOtherVariant) {
  LimitSpec spec;
  spec.algorithm = Algorithm::kPacer;
  spec.burst = 1;
  spec.warm_up = Nanos{0};
  EXPECT_FALSE(FindStrayKey(spec).has_value());
  spec.warm_up = Nanos{1};
  EXPECT_EQ(FindStrayKey(spec)->key, "burst");
}

}  // namespace
}  // namespace sluice
