#include "rules/compile/prefix_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/random.h"

namespace sluice::testing {
namespace {

std::vector<std::uint32_t> Found(const PrefixMap& map, std::string_view text) {
  std::vector<std::uint32_t> found;
  map.ForEachPrefixOf(text, [&](std::uint32_t number) { found.push_back(number); });
  return found;
}

TEST(PrefixMapTest, FindsEveryPrefixLongestFirst) {
  const PrefixMap map({{"/v1/", 1}, {"/v1/a", 2}, {"/v1/ab", 3}, {"/v2/", 4}, {"", 5}});
  EXPECT_EQ(Found(map, "/v1/abc"), (std::vector<std::uint32_t>{3, 2, 1, 5}));
  EXPECT_EQ(Found(map, "/v1/b"), (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(Found(map, "/v2/"), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(Found(map, ""), (std::vector<std::uint32_t>{5}));
  EXPECT_TRUE(Found(PrefixMap(), "a").empty());
}

TEST(PrefixMapTest, AgreesWithComparisonWithEachPrefix) {
  ForEachSeed(300, [](Random& random) {
    const auto draw = [&random] {
      std::string text;
      for (std::int64_t left = random.Between(0, 6); left > 0; --left) {
        text += random.Pick({'a', 'b', '\xff'});
      }
      return text;
    };
    std::map<std::string, std::uint32_t> prefixes;
    for (std::uint32_t i = 0; i < 20; ++i) prefixes.emplace(draw(), i);
    const PrefixMap map(prefixes);
    for (int i = 0; i < 50; ++i) {
      const std::string text = draw();
      std::vector<std::uint32_t> expected;
      for (const auto& [prefix, number] : prefixes) {
        if (text.starts_with(prefix)) expected.insert(expected.begin(), number);
      }
      ASSERT_EQ(Found(map, text), expected) << text;
    }
  });
}

}  // namespace
}  // namespace sluice::testing
