#include "load/key_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace sluice {
namespace {

constexpr std::uint64_t kSeed = 5;
constexpr int kDraws = 100'000;

// Returns how often each key is chosen.
std::vector<int> Counts(KeyDistribution distribution, std::uint64_t keys) {
  KeyChoice choice(distribution, keys, kSeed, {});
  std::vector<int> counts(keys);
  for (int i = 0; i < kDraws; ++i) ++counts.at(choice.Next());
  return counts;
}

std::vector<std::uint64_t> First(KeyChoice choice, int count) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < count; ++i) keys.push_back(choice.Next());
  return keys;
}

TEST(KeyChoiceTest, UniformChoosesAllKeysEquallyOften) {
  for (const int count : Counts(KeyDistribution::kUniform, 10)) {
    EXPECT_NEAR(count, kDraws / 10, 500);  // five standard deviations
  }
}

TEST(KeyChoiceTest, ZipfFrequenciesFollowTheRank) {
  const std::vector<int> counts = Counts(KeyDistribution::kZipf, 1000);
  double weights = 0;
  for (int rank = 1; rank <= 1000; ++rank) weights += std::pow(rank, -0.99);
  for (const int rank : {1, 2, 3, 10, 100}) {
    const double wanted = kDraws * std::pow(rank, -0.99) / weights;
    EXPECT_NEAR(counts[static_cast<std::size_t>(rank - 1)], wanted, 5 * std::sqrt(wanted)) << rank;
  }
}

TEST(KeyChoiceTest, HotChoosesTheFirstKeyForNineOfTen) {
  const std::vector<int> counts = Counts(KeyDistribution::kHot, 11);
  EXPECT_NEAR(counts[0], kDraws * 9 / 10, 500);
  for (std::size_t key = 1; key < counts.size(); ++key) {
    EXPECT_NEAR(counts[key], kDraws / 100, 160) << key;
  }
}

TEST(KeyChoiceTest, SequentialVisitsAllKeysInEverySlice) {
  using Keys = std::vector<std::uint64_t>;
  const auto slice = [](std::uint64_t index, std::uint64_t count) {
    return KeyChoice(KeyDistribution::kSequential, 5, kSeed, {index, count});
  };
  EXPECT_EQ(First(slice(0, 1), 7), (Keys{0, 1, 2, 3, 4, 0, 1}));
  EXPECT_EQ(First(slice(0, 2), 5), (Keys{0, 2, 4, 1, 3}));
  EXPECT_EQ(First(slice(1, 2), 5), (Keys{1, 3, 0, 2, 4}));
}

TEST(KeyChoiceTest, EveryDistributionSupportsASingleKey) {
  for (const auto distribution : {KeyDistribution::kUniform, KeyDistribution::kZipf,
                                  KeyDistribution::kHot, KeyDistribution::kSequential}) {
    EXPECT_EQ(Counts(distribution, 1)[0], kDraws);
  }
}

TEST(KeyChoiceTest, EqualSeedAndSliceGiveEqualKeys) {
  const auto keys = [](std::uint64_t seed, TaskSlice slice) {
    return First(KeyChoice(KeyDistribution::kUniform, 1'000'000, seed, slice), 20);
  };
  EXPECT_EQ(keys(1, {}), keys(1, {}));
  EXPECT_NE(keys(1, {}), keys(2, {}));
  EXPECT_NE(keys(1, {0, 2}), keys(1, {1, 2}));
}

}  // namespace
}  // namespace sluice
