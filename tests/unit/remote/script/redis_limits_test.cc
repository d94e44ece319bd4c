// RedisLimits: binding of limits, and the fleet's secrets.
#include <gtest/gtest.h>

#include <string>

#include "remote/script/redis_remote.h"
#include "support/random_limit.h"
#include "unit/remote/script/remote_items.h"

namespace sluice {
namespace {

TEST(RedisLimitsTest, NamesTheNumberAtFaultAndKeepsEarlierSecrets) {
  RedisLimits limits;
  EXPECT_EQ(limits.secret(), nullptr);
  limits.SetSecret(kTestSecret);
  const FleetSecret* const first = limits.secret();
  ASSERT_NE(first, nullptr);
  limits.SetSecret(kTestSecret);
  EXPECT_EQ(limits.secret(), first);
  limits.SetSecret({{5, 6}, {7, 8}});
  EXPECT_EQ(*limits.secret(), (FleetSecret{{5, 6}, {7, 8}}));
  EXPECT_EQ(*first, kTestSecret);
  LimitSpec spec = PerHour(1, Algorithm::kSlidingWindow);
  spec.rate->period = Nanos{1001};
  const auto bound = limits.Bind(testing::MustMake(spec));
  ASSERT_FALSE(bound.ok());
  EXPECT_NE(bound.error().message.find("period"), std::string::npos);
}

}  // namespace
}  // namespace sluice
