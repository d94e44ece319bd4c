#include "remote/script/redis_key_name.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

// Invariant (8) of RedisRemote.
TEST(RedisKeyNameTest, CombinesTheRouteAndTheKey) {
  std::string name;
  AppendRedisKeyName("p:", {.high = 0x0123456789abcdef, .low = 0xfedcba9876543210}, 0xfff00041,
                     name);
  EXPECT_EQ(name, "p:{ABB}ASNFZ4mrze_-3LqYdlQyEA");
  EXPECT_EQ(name.size(), 2 + kRedisKeyNameSize);
}

}  // namespace
}  // namespace sluice
