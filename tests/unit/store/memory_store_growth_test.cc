// Tests that tables of MemoryStore grow as long as there is memory, whatever the order of calls,
// and that memory that one table no longer uses is available to the others.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "unit/store/one_shard.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

// New keys come one after the other, each with this many calls.
TEST(MemoryStoreGrowthTest, GivesNewKeysOwnStatesHoweverManyCalls) {
  for (const LimitSpec& spec :
       {SpecOf(1000, kHour), SpecOf(1000, kHour, Algorithm::kFixedWindow)}) {
    std::vector<std::string> keys;
    for (int calls = 1; calls <= 33; ++calls) {
      Fixture scene(1024 * kMebibyte);
      ShardLimit limit(scene, "limit", spec);
      if (keys.empty()) keys = limit.NewKeys(4000);
      for (const std::string& key : keys) {
        for (int i = 0; i < calls; ++i) scene.Check(limit.handle, key);
      }
      const MemoryStoreStats stats = scene.store().StatsApprox();
      EXPECT_EQ(stats.overflow_decisions, 0U) << calls << " calls a key";
      EXPECT_EQ(stats.keys, keys.size()) << calls << " calls a key";
      EXPECT_LE(stats.max_slots_moved, 64U) << calls << " calls a key";
    }
  }
}

// A shard whose memory is taken: by keys of one width that will soon be unused, and by keys of
// another width that stay, the last of which found no room.
class TwoWidths : public Fixture {
 public:
  TwoWidths(const LimitSpec& soon_unused, const LimitSpec& stays, int keys)
      : Fixture(64 * kMebibyte),
        short_lived(*this, "short-lived", soon_unused),
        long_lived(*this, "long-lived", stays),
        first(*this, "first", stays),
        second(*this, "second", stays) {
    for (const std::string& key : short_lived.NewKeys(keys)) Check(short_lived.handle, key);
    kept = FillShard(*this, long_lived, 10);
    EXPECT_GT(kept.size(), 500U);
  }

  // Calls on existing keys, which add nothing.
  void Ask(ShardLimit& limit, const std::vector<std::string>& keys, int calls) {
    for (int i = 0; i < calls; ++i) {
      Peek(limit.handle, keys[static_cast<std::size_t>(i) % keys.size()]);
    }
  }

  // Returns how many new keys share states. Their limit was never used, so no shared state binds
  // them.
  int SharedOf(ShardLimit& unused, int new_keys) {
    int shared = 0;
    for (const std::string& key : unused.NewKeys(new_keys)) {
      shared += Check(unused.handle, key).source == Source::kOverflow ? 1 : 0;
    }
    return shared;
  }

  // A completely full table grows with the keys that are added, so a few keys may come too early.
  void ExpectRoom() {
    EXPECT_LE(SharedOf(first, 200), 150);
    EXPECT_EQ(SharedOf(second, 200), 0) << "of 200";
    EXPECT_LE(store().StatsApprox().max_slots_moved, 64U);
  }

  ShardLimit short_lived;
  ShardLimit long_lived;
  ShardLimit first;
  ShardLimit second;
  std::vector<std::string> kept;
};

class GrowthAtTheCapTest : public ::testing::TestWithParam<bool> {
 protected:
  static LimitSpec Narrow(Nanos period) { return SpecOf(10, period); }
  static LimitSpec Pair(Nanos period) { return SpecOf(10, period, Algorithm::kFixedWindow); }

  // The short-lived keys are pairs and the others narrow, or the other way round.
  static TwoWidths MakeFixture(int keys) {
    return GetParam() ? TwoWidths(Pair(kHour), Narrow(kYear), keys)
                      : TwoWidths(Narrow(kHour), Pair(kYear), keys);
  }
  // Numbers of short-lived keys. A piece holds 512 narrow states or 320 pairs, so these take
  // between a quarter and two thirds of the 24 pieces of a shard.
  static std::vector<int> Counts() { return {2000, 2200, 2700, 3200, 4200}; }
};

TEST_P(GrowthAtTheCapTest, GrowsOnceMemoryBecomesFree) {
  for (const int count : Counts()) {
    SCOPED_TRACE(count);
    TwoWidths scene = MakeFixture(count);
    scene.now += 2 * kHour;
    // The short-lived keys are gone once their whole table has been swept.
    const std::vector<std::string> few = scene.short_lived.NewKeys(10);
    for (int i = 0; i < 80'000; ++i) scene.Check(scene.short_lived.handle, few[0]);
    ASSERT_LE(scene.store().StatsApprox().keys, scene.kept.size() + 1);
    scene.Ask(scene.long_lived, scene.kept, 1000);
    scene.ExpectRoom();
    EXPECT_EQ(CountAllowed(scene, scene.long_lived.handle, scene.kept), 0);
  }
}

// The table of the short-lived keys is not called any more.
TEST_P(GrowthAtTheCapTest, SweepsOtherTablesWhileOneIsFull) {
  for (const int count : Counts()) {
    SCOPED_TRACE(count);
    TwoWidths scene = MakeFixture(count);
    scene.now += 2 * kHour;
    scene.Ask(scene.long_lived, scene.kept, 80'000);
    EXPECT_LE(scene.store().StatsApprox().keys, scene.kept.size()) << "unused keys are still there";
    scene.ExpectRoom();
  }
}

INSTANTIATE_TEST_SUITE_P(MemoryStore, GrowthAtTheCapTest, ::testing::Bool(),
                         [](const auto& narrow_stays) {
                           return narrow_stays.param ? "NarrowStays" : "PairsStay";
                         });

}  // namespace
}  // namespace sluice::testing
