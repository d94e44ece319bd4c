#include "rules/compile/search_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

template <typename Key>
class SearchTreeTest : public ::testing::Test {
 protected:
  static void ExpectCounts(const std::vector<Key>& sorted, Key key) {
    const SearchTree<Key> tree(sorted);
    ExpectCount(tree, sorted, key);
  }

  static void ExpectCount(const SearchTree<Key>& tree, const std::vector<Key>& sorted, Key key) {
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin();
    ASSERT_EQ(tree.CountBelow(key), static_cast<std::size_t>(below))
        << "of " << sorted.size() << " below " << key;
  }
};

using Keys = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SearchTreeTest, Keys);

TYPED_TEST(SearchTreeTest, EmptyTreeCountsNothing) {
  const SearchTree<TypeParam> tree;
  EXPECT_EQ(tree.size(), 0U);
  EXPECT_EQ(tree.CountBelow(0), 0U);
  EXPECT_EQ(tree.CountBelow(std::numeric_limits<TypeParam>::max()), 0U);
}

// A block holds 8 or 16 numbers, so these sizes cover the boundaries of one, two and three levels.
TYPED_TEST(SearchTreeTest, CountsEveryNumberAtEverySize) {
  std::vector<TypeParam> sorted;
  for (TypeParam size = 0; size <= 600; ++size) {
    const SearchTree<TypeParam> tree(sorted);
    ASSERT_EQ(tree.size(), size);
    for (TypeParam key = 0; key <= 3 * size + 3; ++key) this->ExpectCount(tree, sorted, key);
    this->ExpectCount(tree, sorted, std::numeric_limits<TypeParam>::max());
    for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(tree.At(i), sorted[i]);
    sorted.push_back(3 * size + 1);
  }
}

TYPED_TEST(SearchTreeTest, CountsLargestNumberLikeAnyOther) {
  constexpr auto kMax = std::numeric_limits<TypeParam>::max();
  std::vector<TypeParam> sorted;
  for (int size = 0; size <= 300; ++size) {
    this->ExpectCounts(sorted, kMax);
    this->ExpectCounts(sorted, kMax - 1);
    sorted.push_back(kMax);
  }
}

TYPED_TEST(SearchTreeTest, AgreesWithLowerBoundOnRandomNumbers) {
  ForEachSeed(20, [&](Random& random) {
    std::vector<TypeParam> sorted(static_cast<std::size_t>(random.Spread(0, 20'000)));
    const auto max = static_cast<std::uint64_t>(random.Spread(1, INT64_MAX));
    for (TypeParam& key : sorted) key = static_cast<TypeParam>(random.Bits() % max);
    std::sort(sorted.begin(), sorted.end());
    const SearchTree<TypeParam> tree(sorted);
    for (int i = 0; i < 2000; ++i) {
      const auto key = static_cast<TypeParam>(random.Bits() % max);
      ASSERT_NO_FATAL_FAILURE(this->ExpectCount(tree, sorted, key));
      if (sorted.empty()) continue;
      const TypeParam held = sorted[random.Bits() % sorted.size()];
      ASSERT_NO_FATAL_FAILURE(this->ExpectCount(tree, sorted, held));
      ASSERT_NO_FATAL_FAILURE(this->ExpectCount(tree, sorted, held + 1));
    }
  });
}

}  // namespace
}  // namespace sluice
