// Tests of states that move from one table to another or from terms to terms while the tables are
// resized. No key may get a new allowance by that.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "store/memory_store.h"
#include "support/random.h"
#include "unit/store/one_shard.h"
#include "unit/store/store_fixture.h"

namespace sluice::testing {
namespace {

LimitSpec Interval(LimitSpec spec) {
  spec.refill = Refill::kInterval;
  return spec;
}

LimitSpec Burst(LimitSpec spec, std::int64_t burst) {
  spec.burst = burst;
  return spec;
}

// Two terms of one limit, of which the second keeps its states in another table than the first.
struct Shapes {
  const char* name;
  LimitSpec from;
  LimitSpec to;
};

// The table that keys leave shrinks while they leave it, about once in ten thousand moves in the
// middle of a move. Therefore there are many moves, in different orders.
void ExpectNoneAllowedAfterMoves(const Shapes& shapes) {
  constexpr int kOrders = 40;
  std::vector<std::string> keys;
  for (int order = 1; order <= kOrders && !::testing::Test::HasFailure(); ++order) {
    SCOPED_TRACE(::testing::Message() << shapes.name << ", order " << order);
    Fixture scene;
    ShardLimit limit(scene, "limit", shapes.from);
    const LimitHandle other = scene.Add(SpecOf(1'000'000, kHour));
    if (keys.empty()) keys = limit.NewKeys(3000);
    for (const std::string& key : keys) {
      ASSERT_TRUE(scene.Check(limit.handle, key, shapes.from.rate->count).allowed);
    }
    ASSERT_EQ(scene.store().StatsApprox().keys, keys.size());
    scene.Change(limit.handle, shapes.to);
    std::vector<std::string> shuffled = keys;
    Random random{static_cast<std::uint64_t>(order)};
    Shuffle(shuffled, random);
    int allowed = 0;
    for (const std::string& key : shuffled) {
      // Alternates between requests and single checks, because they find states differently. A
      // request of one charge would be decided as a single check.
      const std::vector<Charge> charges{{limit.handle, key, Cost{1}}, {other, "other", Cost{1}}};
      const bool passed =
          order % 2 == 0 ? scene.Together(charges) : scene.Check(limit.handle, key).allowed;
      allowed += passed ? 1 : 0;
    }
    EXPECT_EQ(allowed, 0) << "of " << keys.size();
    const MemoryStoreStats stats = scene.store().StatsApprox();
    EXPECT_EQ(stats.keys, keys.size()) << "one state a key";
    EXPECT_LE(stats.max_slots_moved, 64U);
    EXPECT_EQ(CountAllowed(scene, limit.handle, keys), 0) << "the second time";
  }
}

TEST(MemoryStoreMovesTest, KeepsKeyAtItsLimitWhenMovingToAWiderTable) {
  const LimitSpec greedy = SpecOf(10, kHour);
  ExpectNoneAllowedAfterMoves({"narrow to pair", greedy, Interval(greedy)});
}

TEST(MemoryStoreMovesTest, KeepsKeyAtItsLimitWhenMovingToANarrowerTable) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 33U;
  const LimitSpec greedy = SpecOf(10, kHour);
  ExpectNoneAllowedAfterMoves({"pair to narrow", Interval(greedy), greedy});
  ExpectNoneAllowedAfterMoves({"triple to narrow", SpecOf(kHuge, kHour, Algorithm::kSlidingWindow),
                               SpecOf(10, kHour, Algorithm::kSlidingWindow)});
}

// Keys that stay under the first terms for lack of memory are kept busy for longer than a state of
// those terms lasts.
TEST(MemoryStoreMovesTest, DoesNotReuseTheIdOfTermsKeptForLackOfMemory) {
  Fixture scene(kMinMemory);
  const LimitSpec first = Burst(SpecOf(1000, kSecond), 10);
  ShardLimit limit(scene, "limit", first);
  const std::vector<std::string> keys = limit.NewKeys(20);
  for (const std::string& key : keys) ASSERT_TRUE(scene.Check(limit.handle, key, 10).allowed);
  ShardLimit filler(scene, "filler", SpecOf(10, kYear, Algorithm::kFixedWindow));
  FillShard(scene, filler, 10);
  scene.Change(limit.handle, Interval(first));
  for (int i = 0; i < 40; ++i) {
    for (const std::string& key : keys) {
      while (scene.Check(limit.handle, key).allowed) {
      }
    }
    scene.now += kSecond / 1000;
  }
  for (const std::string& key : keys) {
    while (scene.Check(limit.handle, key).allowed) {
    }
  }
  scene.Change(limit.handle, Burst(SpecOf(1, kHour), 10));
  int with_units_left = 0;
  for (const std::string& key : keys) {
    with_units_left += scene.Left(limit.handle, key) != 0 ? 1 : 0;
  }
  EXPECT_EQ(with_units_left, 0) << "every key had used all";
  EXPECT_EQ(CountAllowed(scene, limit.handle, keys), 0);
}

}  // namespace
}  // namespace sluice::testing
