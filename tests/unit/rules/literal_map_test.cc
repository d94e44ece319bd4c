#include "rules/literal_map.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "support/random.h"

namespace sluice::testing {
namespace {

std::set<std::uint32_t> Found(const LiteralMap& map, std::string_view text) {
  std::set<std::uint32_t> found;
  map.ForEachIn(text, [&](std::uint32_t number) { found.insert(number); });
  return found;
}

TEST(LiteralMapTest, FindsLiteralsInsideOneAnother) {
  const LiteralMap map({{"he", 1}, {"she", 2}, {"hers", 3}, {"s", 4}});
  EXPECT_EQ(Found(map, "ushers"), (std::set<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Found(map, "xhe"), (std::set<std::uint32_t>{1}));
  EXPECT_TRUE(Found(map, "").empty());
  EXPECT_TRUE(Found(LiteralMap(), "she").empty());
}

TEST(LiteralMapTest, AgreesWithALookForEveryLiteral) {
  ForEachSeed(500, [](Random& random) {
    const auto draw = [&random](std::int64_t least, std::int64_t most) {
      std::string text;
      for (std::int64_t left = random.Between(least, most); left > 0; --left) {
        text += random.Pick({'a', 'b', '\xff'});
      }
      return text;
    };
    std::map<std::string, std::uint32_t> literals;
    for (std::uint32_t i = 0; i < 12; ++i) literals.emplace(draw(1, 5), i);
    const LiteralMap map(literals);
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
