#include "rules/compile/literal_map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/random.h"

namespace sluice::testing {
namespace {

std::set<std::uint32_t> Found(const LiteralMap& map, std::string_view text) {
  std::set<std::uint32_t> found;
  map.ForEachIn(text, [&](std::uint32_t number) { return found.insert(number).second; });
  return found;
}

LiteralMap MapOf(const std::map<std::string, std::uint32_t>& literals) {
  LiteralRoom room;
  return {literals, room};
}

TEST(LiteralMapTest, FindsLiteralsInsideOneAnother) {
  const LiteralMap map = MapOf({{"he", 1}, {"she", 2}, {"hers", 3}, {"s", 4}});
  EXPECT_EQ(Found(map, "ushers"), (std::set<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Found(map, "xhe"), (std::set<std::uint32_t>{1}));
  EXPECT_TRUE(Found(map, "").empty());
  EXPECT_TRUE(Found(LiteralMap(), "she").empty());
}

TEST(LiteralMapTest, SkipsShorterLiteralsOfKnownOne) {
  const LiteralMap map = MapOf({{"a", 1}, {"aa", 2}, {"aaa", 3}});
  std::set<std::uint32_t> known;
  int visits = 0;
  map.ForEachIn(std::string(1000, 'a'), [&](std::uint32_t number) {
    ++visits;
    return known.insert(number).second;
  });
  EXPECT_EQ(known.size(), 3U);
  EXPECT_LE(visits, 1003);
}

TEST(LiteralMapTest, LeavesOutLiteralsBeyondMemoryBudget) {
  // Three different bytes and the class of all others make four cells per state.
  LiteralRoom room{.cells = 4 * 5};
  const LiteralMap map({{"aab", 1}, {"aabc", 2}, {"bbb", 3}, {"c", 4}}, room);
  EXPECT_EQ(map.left_out(), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(Found(map, "aabc bbb"), (std::set<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(room.cells, 0U);
}

TEST(LiteralMapTest, AgreesWithSearchForEachLiteral) {
  ForEachSeed(500, [](Random& random) {
    const auto draw = [&random](std::int64_t min, std::int64_t max) {
      std::string text;
      for (std::int64_t left = random.Between(min, max); left > 0; --left) {
        text += random.Pick({'a', 'b', '\xff'});
      }
      return text;
    };
    std::map<std::string, std::uint32_t> literals;
    for (std::uint32_t i = 0; i < 12; ++i) literals.emplace(draw(1, 5), i);
    const LiteralMap map = MapOf(literals);
    for (int i = 0; i < 30; ++i) {
      const std::string text = draw(0, 12) + random.Pick({"", "c", "a"});
      std::set<std::uint32_t> expected;
      for (const auto& [literal, number] : literals) {
        if (text.find(literal) != std::string::npos) expected.insert(number);
      }
      ASSERT_EQ(Found(map, text), expected) << text;
    }
  });
}

}  // namespace
}  // namespace sluice::testing
