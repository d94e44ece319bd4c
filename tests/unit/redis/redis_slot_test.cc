#include "redis/redis_slot.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace {

TEST(RedisSlotTest, ComputesTheSlotsOfRedis) {
  // From CLUSTER KEYSLOT of Redis 7.0.15.
  const std::vector<std::pair<std::string_view, std::uint16_t>> cases = {
      {"", 0},       {"123456789", 12739}, {"foo", 12182},
      {"bar", 5061}, {"user:1000", 1649},  {"{user1000}.x", 3443},
  };
  for (const auto& [key, slot] : cases) EXPECT_EQ(SlotOf(key), slot) << key;
}

TEST(RedisSlotTest, UsesTheFirstHashTagIfItIsNotEmpty) {
  EXPECT_EQ(HashTag("{user1000}.following"), "user1000");
  EXPECT_EQ(HashTag("foo{}{bar}"), "foo{}{bar}");
  EXPECT_EQ(HashTag("foo{{bar}}zap"), "{bar");
  EXPECT_EQ(HashTag("foo{bar}{zap}"), "bar");
  EXPECT_EQ(HashTag("foo{bar"), "foo{bar");
  EXPECT_EQ(HashTag("}a{b}"), "b");
  EXPECT_EQ(SlotOf("a{user}b"), SlotOf("user"));
}

}  // namespace
}  // namespace sluice
