#include "rules/compile/text_map.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/random.h"

namespace sluice::testing {
namespace {

TEST(TextMapTest, FindsOnlyAddedTexts) {
  TextMap map;
  EXPECT_EQ(map.Find(""), TextMap::kNone);
  EXPECT_EQ(map.FindOrAdd("", 7), 7U);
  EXPECT_EQ(map.FindOrAdd("a", 0), 0U);
  EXPECT_EQ(map.FindOrAdd("a", 9), 0U);
  EXPECT_EQ(map.Find(""), 7U);
  EXPECT_EQ(map.Find("a"), 0U);
  EXPECT_EQ(map.Find(std::string_view("a\0", 2)), TextMap::kNone);
  EXPECT_EQ(map.size(), 2U);
}

TEST(TextMapTest, AgreesWithStdMapOnRandomTexts) {
  ForEachSeed(50, [](Random& random) {
    TextMap map;
    std::map<std::string, std::uint32_t> model;
    for (std::uint32_t i = 0; i < 500; ++i) {
      const std::string text = std::to_string(random.Between(0, 400));
      ASSERT_EQ(map.FindOrAdd(text, i), model.try_emplace(text, i).first->second);
    }
    for (int i = 0; i <= 400; ++i) {
      const auto found = model.find(std::to_string(i));
      ASSERT_EQ(map.Find(std::to_string(i)), found == model.end() ? TextMap::kNone : found->second);
    }
  });
}

}  // namespace
}  // namespace sluice::testing
