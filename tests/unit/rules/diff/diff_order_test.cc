#include "rules/diff/diff_order.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

// Each name is a letter: "c<a" means that c moved before a, "a>c" that a moved after c.
std::vector<std::string> Moves(std::string_view before, std::string_view after) {
  const auto letters = [](std::string_view text) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < text.size(); ++i) names.push_back(text.substr(i, 1));
    return names;
  };
  std::vector<std::string> texts;
  for (const Move& move : FindMoves(letters(before), letters(after))) {
    texts.push_back(std::string(move.name) + (move.where == Move::Where::kBefore ? "<" : ">") +
                    std::string(move.neighbor));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(DiffOrderTest, ReportsFewestMoves) {
  EXPECT_EQ(Moves("abc", "abc"), Texts());
  EXPECT_EQ(Moves("abcd", "dabc"), Texts({"d<a"}));
  EXPECT_EQ(Moves("abcd", "bcda"), Texts({"a>d"}));
  EXPECT_EQ(Moves("abcde", "aecdb"), Texts({"e<c", "b>d"}));
  EXPECT_EQ(Moves("abc", "cba").size(), 2U);
}

TEST(DiffOrderTest, NeighborWasOnOtherSideBefore) {
  // Either of the two may be reported as moved, but "a moved before c" would be no information.
  const Texts moves = Moves("abcd", "bacd");
  EXPECT_TRUE(moves == Texts({"b<a"}) || moves == Texts({"a>b"}));
  EXPECT_EQ(Moves("abcd", "bcad"), Texts({"a>c"}));
  EXPECT_EQ(Moves("abcd", "acbd").size(), 1U);
}

TEST(DiffOrderTest, IgnoresNamesInOnlyOneOrder) {
  EXPECT_EQ(Moves("axb", "bya"), Moves("ab", "ba"));
  EXPECT_EQ(Moves("", "abc"), Texts());
  EXPECT_EQ(Moves("abc", ""), Texts());
}

}  // namespace
}  // namespace sluice
