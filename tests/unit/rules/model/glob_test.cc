#include "rules/model/glob.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "support/random.h"

namespace sluice {
namespace {

using testing::ForEachSeed;
using testing::Random;

// Matches by the definition of a star, trying all possibilities.
bool MatchesByTrying(std::string_view pattern, std::string_view value) {
  if (pattern.empty()) return value.empty();
  if (pattern.front() == '*') {
    return MatchesByTrying(pattern.substr(1), value) ||
           (!value.empty() && MatchesByTrying(pattern, value.substr(1)));
  }
  return !value.empty() && pattern.front() == value.front() &&
         MatchesByTrying(pattern.substr(1), value.substr(1));
}

TEST(GlobTest, MatchesWholeValues) {
  const struct {
    std::string_view pattern;
    std::string_view value;
    bool matches;
  } cases[] = {
      {"", "", true},
      {"", "a", false},
      {"abc", "abc", true},
      {"abc", "abcd", false},
      {"abc", "ab", false},
      {"*", "", true},
      {"*", "any/thing", true},
      {"***", "", true},
      {"abc*", "abc", true},
      {"abc*", "abcd/e", true},
      {"abc*", "xabc", false},
      {"*abc", "abc", true},
      {"*abc", "xyabc", true},
      {"*abc", "abcd", false},
      {"*b*", "abc", true},
      {"*b*", "b", true},
      {"*b*", "ac", false},
      {"a*c", "ac", true},
      {"a*c", "abbbc", true},
      {"a*c", "a", false},
      {"a**c", "abc", true},
      {"a*b*c", "acbc", true},
      {"a*b*c", "acc", false},
      {"a*bc*d", "abbcd", true},
      {"ab*ba", "aba", false},
      {"ab*ba", "abba", true},
      {"a*a", "a", false},
      {"*aab", "aaab", true},
      {"*ab*ab*", "ab", false},
      {"*ab*ab*", "abab", true},
      {"*ab*ab", "abxab", true},
      {"*aba*aba*", "ababa", false},  // a part is not searched for inside the previous one
      {"a*xb*b", "axb", false},       // nor inside the suffix
      {"/v1/*/comments/*", "/v1/posts/7/comments/", true},
      {"/v1/*/comments/*", "/v1/comments/7", false},
      {"/v1/follow/*", "/v1/follow", false},
      {"/v1/follow/*", "/v1/follow/a/b", true},
  };
  for (const auto& [pattern, value, matches] : cases) {
    EXPECT_EQ(Glob(pattern).Matches(value), matches) << pattern << " on " << value;
    EXPECT_EQ(MatchesByTrying(pattern, value), matches) << pattern << " on " << value;
  }
}

TEST(GlobTest, OnlyStarIsSpecial) {
  for (const std::string_view literal : {"?", "[ab]", "\\", "a.c", "{a,b}", "^a$", "+", "%2a"}) {
    const std::string pattern = std::string(literal) + "*";
    EXPECT_TRUE(Glob(literal).Matches(literal));
    EXPECT_TRUE(Glob(pattern).Matches(literal));
    EXPECT_FALSE(Glob(literal).Matches("abc"));
    EXPECT_FALSE(Glob(pattern).Matches("abc"));
  }
  EXPECT_TRUE(Glob("\\*").Matches("\\anything"));
  EXPECT_FALSE(Glob("\\*").Matches("*"));
  EXPECT_TRUE(Glob("a*").Matches("a*"));
  EXPECT_FALSE(Glob("abc").Matches("ABC"));
}

TEST(GlobTest, MatchesAnyBytes) {
  const std::string value("a\0\n\xff*b", 6);
  EXPECT_TRUE(Glob("a*b").Matches(value));
  EXPECT_TRUE(Glob(value).Matches(value));
  EXPECT_TRUE(Glob(std::string("*\0*\xff*", 5)).Matches(value));
  EXPECT_FALSE(Glob(std::string("*\0\0*", 4)).Matches(value));
}

TEST(GlobTest, PatternWithStarIsGlob) {
  EXPECT_TRUE(Glob::IsGlob("*"));
  EXPECT_TRUE(Glob::IsGlob("a*b"));
  EXPECT_TRUE(Glob::IsGlob("\\*"));
  EXPECT_FALSE(Glob::IsGlob(""));
  EXPECT_FALSE(Glob::IsGlob("a?b"));
}

TEST(GlobTest, ReturnsLiteralPrefixAndLongestLiteral) {
  const struct {
    std::string_view pattern;
    std::string_view prefix;
    std::string_view longest;
  } cases[] = {
      {"", "", ""},
      {"*", "", ""},
      {"**", "", ""},
      {"abc", "abc", "abc"},
      {"abc*", "abc", "abc"},
      {"*c", "", "c"},
      {"a*bc", "a", "bc"},
      {"ab*cd", "ab", "ab"},
      {"a**bcd**ef", "a", "bcd"},
      {"/v1/*", "/v1/", "/v1/"},
      {"*/items/*", "", "/items/"},
  };
  for (const auto& [pattern, prefix, longest] : cases) {
    const Glob glob(pattern);
    EXPECT_EQ(glob.LiteralPrefix(), prefix) << pattern;
    EXPECT_EQ(glob.LongestLiteral(), longest) << pattern;
  }
}

// One pattern fits into the string object itself, the other does not.
TEST(GlobTest, CopiedOrMovedGlobMatchesSameValues) {
  for (const std::string_view pattern : {"a*b*c", "aaaaaaaaaaaaaaaaaaaaaaaa*bbbbbbbbbbbb*c"}) {
    const std::string value =
        std::string(pattern.substr(0, pattern.find('*'))) + std::string(pattern);
    Glob glob{pattern};
    const Glob copy = glob;
    const Glob moved = std::move(glob);
    for (const Glob* other : {&copy, &moved}) {
      EXPECT_TRUE(other->Matches(value)) << pattern;
      EXPECT_FALSE(other->Matches("abd")) << pattern;
      EXPECT_EQ(other->LiteralPrefix(), pattern.substr(0, pattern.find('*')));
    }
  }
}

std::string RandomOver(Random& random, std::string_view bytes, std::int64_t size) {
  std::string text;
  for (std::int64_t i = 0; i < size; ++i) text += bytes[random.Bits() % bytes.size()];
  return text;
}

TEST(GlobTest, AgreesWithExhaustiveMatchOnRandomPatterns) {
  int matches = 0;
  int others = 0;
  ForEachSeed(100, [&](Random& random) {
    for (int i = 0; i < 1000; ++i) {
      const std::string pattern = RandomOver(random, "ab*", random.Between(0, 8));
      const std::string value = RandomOver(random, "ab", random.Between(0, 10));
      const bool expected = MatchesByTrying(pattern, value);
      ASSERT_EQ(Glob(pattern).Matches(value), expected) << pattern << " on " << value;
      ++(expected ? matches : others);
    }
  });
  EXPECT_GT(matches, others / 20);
  EXPECT_GT(others, matches / 20);
}

// Backtracking at every star would not end within the age of the universe.
TEST(GlobTest, MatchesManyStarsInOnePass) {
  const std::string value(10'000, 'a');
  std::string stars;
  for (int i = 0; i < 5000; ++i) stars += "a*";
  EXPECT_FALSE(Glob(stars + "b").Matches(value));
  EXPECT_FALSE(Glob(stars + "b*").Matches(value));
  EXPECT_FALSE(Glob("*" + stars + "b*a").Matches(value));
  EXPECT_TRUE(Glob(stars + "a").Matches(value));
  EXPECT_TRUE(Glob(stars + stars).Matches(value));
  EXPECT_FALSE(Glob(stars + stars + "a").Matches(value));
}

}  // namespace
}  // namespace sluice
