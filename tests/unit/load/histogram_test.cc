#include "load/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace sluice {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(HistogramTest, AnEmptyHistogramReportsZeros) {
  const Histogram nothing;
  EXPECT_EQ(nothing.total(), 0U);
  EXPECT_EQ(nothing.min(), 0U);
  EXPECT_EQ(nothing.max(), 0U);
  EXPECT_EQ(nothing.mean(), 0);
  EXPECT_EQ(nothing.Quantile({990'000}), 0U);
}

TEST(HistogramTest, CountsSmallValuesExactly) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.Quantile({500'000}), 50U);
  EXPECT_EQ(histogram.Quantile({990'000}), 99U);
  EXPECT_EQ(histogram.Quantile({Portion::kAll}), 100U);
  EXPECT_EQ(histogram.Quantile({1'000}), 1U);
  EXPECT_EQ(histogram.mean(), 50.5);
  EXPECT_EQ(histogram.min(), 1U);
}

TEST(HistogramTest, ComputesTheRankOfAShareExactly) {
  for (const std::uint64_t total : {1'000U, 10'000U, 100'000U}) {
    for (const std::uint64_t share : {1'000U, 70'000U, 290'000U, 570'000U, 999'000U}) {
      const std::uint64_t rank = share * total / Portion::kAll;
      Histogram histogram;
      for (std::uint64_t i = 0; i < rank; ++i) histogram.Add(1);
      for (std::uint64_t i = rank; i < total; ++i) histogram.Add(1'000);
      EXPECT_EQ(histogram.Quantile({share}), 1U) << share << " of " << total;
      EXPECT_EQ(histogram.Quantile({share + 1}), 1'000U) << share << " of " << total;
    }
  }
}

TEST(HistogramTest, CountsValuesOfEveryMagnitude) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1, power + power / 3, kMax}) {
      Histogram histogram;
      histogram.Add(value);
      EXPECT_EQ(histogram.Quantile({500'000}), value) << "the largest bounds the step";
      histogram.Add(kMax);
      const std::uint64_t found = histogram.Quantile({500'000});
      EXPECT_GE(found, value);
      EXPECT_LE(found - value, value / 64) << value;
    }
  }
}

// Invariant (1).
TEST(HistogramTest, QuantilesExceedExactValuesByAtMostOneStep) {
  std::mt19937_64 engine(7);
  std::lognormal_distribution<double> draw(12, 2);
  Histogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(static_cast<std::uint64_t>(draw(engine)));
    histogram.Add(values.back());
  }
  std::ranges::sort(values);
  for (const std::uint64_t share : {10'000U, 500'000U, 990'000U, 999'000U, 999'900U, 1'000'000U}) {
    const std::uint64_t rank = share * values.size() / Portion::kAll;
    const std::uint64_t exact = values[rank - 1];
    EXPECT_GE(histogram.Quantile({share}), exact) << share;
    EXPECT_LE(histogram.Quantile({share}), exact + exact / 64) << share;
  }
}

// Invariant (2).
TEST(HistogramTest, AddingHistogramsEqualsAddingTheirValues) {
  Histogram all;
  Histogram one;
  Histogram other;
  for (std::uint64_t value = 0; value < 5000; value += 7) {
    all.Add(value);
    (value % 2 == 0 ? one : other).Add(value);
  }
  one.Add(Histogram());
  one.Add(other);
  EXPECT_EQ(one.total(), all.total());
  EXPECT_EQ(one.min(), all.min());
  EXPECT_EQ(one.max(), all.max());
  EXPECT_DOUBLE_EQ(one.mean(), all.mean());
  for (const std::uint64_t share : {100'000U, 500'000U, 990'000U}) {
    EXPECT_EQ(one.Quantile({share}), all.Quantile({share}));
  }
}

}  // namespace
}  // namespace sluice
