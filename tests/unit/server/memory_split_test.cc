#include "server/memory_split.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

TEST(MemorySplitTest, SplitsMemoryForRemoteStore) {
  StoreSettings settings;
  settings.url.kind = StoreUrl::Kind::kRedis;
  settings.memory = MiB(100);
  const MemorySplit split = SplitMemory(settings);
  EXPECT_EQ(split.tables, MiB(25).count);
  EXPECT_EQ(split.states, MiB(75).count);
  settings.cache_percent = 90;
  EXPECT_EQ(SplitMemory(settings).states, MiB(16).count);
  EXPECT_EQ(SplitMemory(settings).tables, MiB(84).count);
}

TEST(MemorySplitTest, GivesAllMemoryToStatesWithoutRemoteStore) {
  const StoreSettings settings;
  EXPECT_EQ(SplitMemory(settings).states, settings.memory.count);
  EXPECT_EQ(SplitMemory(settings).tables, 0);
}

TEST(MemorySplitTest, KeepsMinimumForStates) {
  StoreSettings settings;
  settings.url.kind = StoreUrl::Kind::kRedis;
  settings.memory = MiB(16);
  EXPECT_EQ(SplitMemory(settings).states, MiB(16).count);
  EXPECT_EQ(SplitMemory(settings).tables, 0);
}

}  // namespace
}  // namespace sluice::cli
