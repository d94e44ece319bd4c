#include "rules/check/cycles.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

using Cycles = std::vector<std::vector<std::size_t>>;

TEST(CyclesTest, FindsNoCycleInAcyclicGraph) {
  EXPECT_EQ(FindCycles({}), Cycles());
  EXPECT_EQ(FindCycles({{}, {}}), Cycles());
  EXPECT_EQ(FindCycles({{1, 2}, {3}, {3}, {}}), Cycles());
}

TEST(CyclesTest, CycleBeginsWithFirstNodeReached) {
  EXPECT_EQ(FindCycles({{0}}), Cycles({{0}}));
  EXPECT_EQ(FindCycles({{1}, {2}, {0}}), Cycles({{0, 1, 2}}));
  EXPECT_EQ(FindCycles({{2}, {2}, {3}, {1}}), Cycles({{2, 3, 1}}));
}

TEST(CyclesTest, FindsDisjointCycles) {
  EXPECT_EQ(FindCycles({{1}, {0}, {3}, {2}}), Cycles({{0, 1}, {2, 3}}));
  EXPECT_EQ(FindCycles({{0, 1}, {1}}), Cycles({{0}, {1}}));
}

TEST(CyclesTest, FindsOneOfOverlappingCycles) {
  EXPECT_EQ(FindCycles({{1}, {0, 2}, {0}}), Cycles({{0, 1}}));
  EXPECT_EQ(FindCycles({{1}, {2}, {0, 1}}).size(), 1U);
}

TEST(CyclesTest, LongCycleDoesNotOverflowStack) {
  Edges edges(200'000);
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = {(i + 1) % edges.size()};
  const Cycles cycles = FindCycles(edges);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].size(), edges.size());
}

TEST(CyclesTest, DescriptionEndsWithFirstName) {
  EXPECT_EQ(DescribeCycle(std::vector<std::string_view>{"a"}), "a -> a");
  EXPECT_EQ(DescribeCycle(std::vector<std::string_view>{"a", "b"}), "a -> b -> a");
  EXPECT_EQ(DescribeCycle(std::vector<std::string_view>(11, "x")),
            "x -> x -> x -> x -> x -> x -> x -> x -> x -> x -> ... -> x");
}

}  // namespace
}  // namespace sluice
