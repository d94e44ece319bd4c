#include "wire/cookie.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace sluice {
namespace {

std::vector<Cookie> All(std::string_view value) {
  std::vector<Cookie> all;
  CookieReader reader(value);
  while (const auto cookie = reader.Next()) all.push_back(*cookie);
  return all;
}

TEST(CookieTest, ReadsCookiesInOrder) {
  EXPECT_EQ(All("sid=31d4; lang=en-US; sid=2; empty="),
            (std::vector<Cookie>{{"sid", "31d4"}, {"lang", "en-US"}, {"sid", "2"}, {"empty", ""}}));
}

TEST(CookieTest, AllowsEqualsSignsInValues) {
  EXPECT_EQ(All("t=YWJj=="), (std::vector<Cookie>{{"t", "YWJj=="}}));
}

TEST(CookieTest, StripsSurroundingBlanksAndQuotes) {
  EXPECT_EQ(All(" a = 1 ;b=\"2\";\tc=\"\"; d=\"; e=\"x"),
            (std::vector<Cookie>{{"a", "1"}, {"b", "2"}, {"c", ""}, {"d", "\""}, {"e", "\"x"}}));
}

TEST(CookieTest, SkipsPairsWithoutAName) {
  EXPECT_TRUE(All("").empty());
  EXPECT_TRUE(All("; ;;").empty());
  EXPECT_EQ(All("flag; =1; a=2; =; "), (std::vector<Cookie>{{"a", "2"}}));
}

}  // namespace
}  // namespace sluice
