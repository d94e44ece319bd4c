#include "rules/compile/ip_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "support/random.h"

namespace sluice {
namespace {

using Share = IpCells::Share;
using testing::ForEachSeed;
using testing::Random;

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFewest = 32;  // cells
constexpr std::uint32_t kWidest = static_cast<std::uint32_t>((std::uint64_t{1} << 32U) / kFewest);

TEST(IpCellsTest, AllCellsAreUniformWithoutTurns) {
  for (const std::uint32_t address : {0U, kWidest, kLast}) {
    EXPECT_EQ(IpCells().At(address), Share::kNone);
    EXPECT_EQ(IpCells({}, true).At(address), Share::kAll);
  }
}

TEST(IpCellsTest, OnlyCellWithTurnInsideIsMixed) {
  const IpCells cells(std::vector<std::uint32_t>{kWidest + 5}, false);
  EXPECT_EQ(cells.At(kWidest - 1), Share::kNone);
  EXPECT_EQ(cells.At(kWidest), Share::kSome);
  EXPECT_EQ(cells.At(2 * kWidest - 1), Share::kSome);
  EXPECT_EQ(cells.At(2 * kWidest), Share::kAll);
  EXPECT_EQ(cells.At(kLast), Share::kAll);
}

TEST(IpCellsTest, TurnAtCellEndLeavesCellsUniform) {
  const IpCells cells(std::vector<std::uint32_t>{kWidest - 1, 2 * kWidest - 1}, false);
  EXPECT_EQ(cells.At(kWidest - 1), Share::kNone);
  EXPECT_EQ(cells.At(kWidest), Share::kAll);
  EXPECT_EQ(cells.At(2 * kWidest - 1), Share::kAll);
  EXPECT_EQ(cells.At(2 * kWidest), Share::kNone);
}

TEST(IpCellsTest, TurnAfterLastAddressHasNoEffect) {
  const IpCells cells(std::vector<std::uint32_t>{kLast}, true);
  EXPECT_EQ(cells.At(0), Share::kAll);
  EXPECT_EQ(cells.At(kLast), Share::kAll);
}

TEST(IpCellsTest, AgreesWithSearchOnRandomTurns) {
  ForEachSeed(100, [](Random& random) {
    std::set<std::uint32_t> drawn;
    const auto mask = static_cast<std::uint32_t>(random.Bits() | random.Bits());
    for (std::int64_t i = random.Spread(0, 3000); i > 0; --i) {
      drawn.insert(static_cast<std::uint32_t>(random.Bits()) & mask);
    }
    const std::vector<std::uint32_t> turns(drawn.begin(), drawn.end());
    const bool starts_inside = random.OneIn(2);
    const IpCells cells(turns, starts_inside);
    int told = 0;
    for (int i = 0; i < 300; ++i) {
      auto address = static_cast<std::uint32_t>(random.Bits());
      if (!turns.empty() && random.OneIn(2)) {
        address =
            turns[random.Bits() % turns.size()] + static_cast<std::uint32_t>(random.Bits() % 3);
      }
      const auto below = std::lower_bound(turns.begin(), turns.end(), address) - turns.begin();
      const Share share = cells.At(address);
      if (share == Share::kSome) continue;
      ++told;
      ASSERT_EQ(share == Share::kAll, starts_inside != (below % 2 == 1)) << address;
    }
    ASSERT_GT(told, 0) << "no cell told anything";
  });
}

}  // namespace
}  // namespace sluice
