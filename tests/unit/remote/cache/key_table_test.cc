#include "remote/cache/key_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using testing::Random;

struct Number {
  std::int64_t value = 0;
};

// Uses few bits, so that keys collide in shards and slots.
FleetKey KeyOf(std::int64_t i) {
  const auto bits = static_cast<std::uint64_t>(i);
  return {.high = (bits % 3) << 58U | bits, .low = bits % 7};
}

std::int64_t ValueOf(KeyTable<Number>& table, std::int64_t i) {
  std::int64_t value = -1;
  table.Find(KeyOf(i), [&](const Number& number, auto& /*list*/) { value = number.value; });
  return value;
}

// Invariant (2).
TEST(KeyTableTest, BehavesLikeAMap) {
  testing::ForEachSeed(50, [](Random& random) {
    KeyTable<Number> table(64 * 40);
    std::map<std::int64_t, std::int64_t> expected;
    for (int step = 0; step < 2000; ++step) {
      const std::int64_t i = random.Between(0, 99);
      if (random.OneIn(3)) {
        table.Erase(KeyOf(i));
        expected.erase(i);
      } else if (random.OneIn(50)) {
        const std::int64_t divisor = random.Between(2, 5);
        const auto drop = [&](const Number& number) { return number.value % divisor == 0; };
        for (int part = 0; part < 400; ++part) table.Sweep(9, drop);
        std::erase_if(expected, [&](const auto& each) { return each.second % divisor == 0; });
      } else {
        ASSERT_TRUE(table.FindOrAdd(KeyOf(i),
                                    [&](Number& number, auto& /*list*/) { number.value = step; }));
        expected[i] = step;
      }
      ASSERT_EQ(table.SizeApproxForTest(), expected.size());
    }
    for (std::int64_t i = 0; i < 100; ++i) {
      const auto found = expected.find(i);
      ASSERT_EQ(ValueOf(table, i), found == expected.end() ? -1 : found->second) << i;
    }
  });
}

// Invariant (1).
TEST(KeyTableTest, RejectsNewKeysWhenFull) {
  KeyTable<Number> table(64 * 2);
  std::size_t added = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const FleetKey key{.high = i * 0x9E3779B97F4A7C15U, .low = i};
    if (table.FindOrAdd(key, [](Number& /*number*/, auto& /*list*/) {})) ++added;
  }
  EXPECT_EQ(added, 128U);
  EXPECT_EQ(table.SizeApproxForTest(), 128U);
  const FleetKey known{.high = 0, .low = 0};
  EXPECT_TRUE(table.FindOrAdd(known, [](Number& /*number*/, auto& /*list*/) {}));
}

TEST(KeyTableTest, TakesAListOnce) {
  KeyTable<Number> table(64);
  const FleetKey key{.high = std::uint64_t{5} << 58U, .low = 1};
  table.FindOrAdd(key, [&](Number& /*number*/, auto& list) { list.push_back(key); });
  std::vector<FleetKey> keys;
  table.TakeList(5, keys);
  EXPECT_EQ(keys, std::vector<FleetKey>{key});
  table.TakeList(5, keys);
  EXPECT_TRUE(keys.empty());
}

// Invariant (1).
TEST(KeyTableTest, BoundsItsMemory) {
  constexpr std::int64_t kBytesMax = 100'000;
  KeyTable<Number> table(1'000'000, kBytesMax);
  const auto keep = [](Number& /*number*/, auto& /*list*/) {};
  const auto key = [](std::uint64_t i) { return FleetKey{.high = i << 58U, .low = i}; };
  std::uint64_t added = 0;
  while (table.FindOrAdd(key(added), keep)) ++added;
  EXPECT_GT(added, 500U);
  EXPECT_LE(table.budget().UsedApprox(), kBytesMax);
  EXPECT_GT(table.budget().UsedApprox(), kBytesMax * 9 / 10);
  // Both Erase and Sweep free memory for new keys.
  for (std::uint64_t i = 0; i < added / 2; ++i) table.Erase(key(i));
  EXPECT_LT(table.budget().UsedApprox(), kBytesMax * 9 / 10);
  for (std::uint64_t i = 0; i < added / 2; ++i) ASSERT_TRUE(table.FindOrAdd(key(i), keep)) << i;
  while (!table.Sweep(1000, [](const Number& /*number*/) { return true; })) {
  }
  for (std::uint64_t i = 0; i < added; ++i) ASSERT_TRUE(table.FindOrAdd(key(i), keep)) << i;
}

struct Owner {
  std::int64_t heap_bytes = 0;
};

// Invariant (3).
TEST(KeyTableTest, ReleasesTheMemoryOfErasedEntries) {
  KeyTable<Owner> table(1000, 100'000);
  const FleetKey key{.high = 1, .low = 2};
  ASSERT_TRUE(table.FindOrAdd(key, [&](Owner& owner, auto& /*list*/) {
    ASSERT_TRUE(table.budget().Take(50'000));
    owner.heap_bytes = 50'000;
  }));
  EXPECT_GT(table.budget().UsedApprox(), 50'000);
  table.Erase(key);
  EXPECT_LT(table.budget().UsedApprox(), 1000);
}

}  // namespace
}  // namespace sluice
