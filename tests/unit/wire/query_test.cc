#include "wire/query.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

std::vector<QueryParameter> All(std::string_view query) {
  std::vector<QueryParameter> all;
  QueryReader reader(query);
  while (const auto parameter = reader.Next()) all.push_back(*parameter);
  return all;
}

std::string Decoded(std::string_view text) {
  std::string scratch = "left from before";
  return std::string(DecodeQuery(text, scratch).value_or("fault"));
}

TEST(QueryTest, ReadsParametersInOrder) {
  const std::vector<QueryParameter> all = {
      {"a", "1"}, {"b", ""}, {"c", ""}, {"a", "2=3"}, {"", "x"}};
  EXPECT_EQ(All("a=1&b=&c&a=2=3&=x"), all);
}

TEST(QueryTest, SkipsEmptyParameters) {
  EXPECT_TRUE(All("").empty());
  EXPECT_TRUE(All("&&&").empty());
  EXPECT_EQ(All("&a=1&&b=2&"), (std::vector<QueryParameter>{{"a", "1"}, {"b", "2"}}));
}

TEST(QueryTest, SplitsAtSemicolonsIfRequested) {
  QueryReader reader(";a=1;b=2&c;&d=;", QuerySeparator::kAmpersandOrSemicolon);
  const std::vector<QueryParameter> all = {{"a", "1"}, {"b", "2"}, {"c", ""}, {"d", ""}};
  for (const QueryParameter& each : all) EXPECT_EQ(reader.Next(), each);
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_EQ(All("a=1;b=2"), (std::vector<QueryParameter>{{"a", "1;b=2"}}));
}

TEST(QueryTest, DecodesEscapesAndPluses) {
  EXPECT_EQ(Decoded("a+b%20c%2B%2b"), "a b c++");
  EXPECT_EQ(Decoded("%00"), std::string(1, '\0'));
  EXPECT_EQ(Decoded("%C3%A9"), "\xC3\xA9");
  EXPECT_EQ(Decoded("%2570"), "%70");
  EXPECT_EQ(Decoded(""), "");
}

TEST(QueryTest, RejectsMalformedEscapes) {
  for (const char* text : {"%", "a%2", "%zz", "%2x", "%x2", "+%", "%%20"}) {
    EXPECT_EQ(Decoded(text), "fault") << text;
  }
}

TEST(QueryTest, ReturnsTheTextItselfIfNothingIsEncoded) {
  std::string scratch = "untouched";
  const std::string_view text = "plain-text_1.0~";
  EXPECT_EQ(DecodeQuery(text, scratch)->data(), text.data());
  EXPECT_EQ(scratch, "untouched");
}

TEST(QueryTest, ConvertsNamesAsPhpDoes) {
  const struct {
    std::string_view name;
    std::string_view php;
  } cases[] = {
      {"user", "user"},
      {"", ""},
      {{"user\0", 5}, "user"},
      {{"\0user", 5}, ""},
      {" user", "user"},
      {" \t user", "user"},
      {" ", ""},
      {"user ", "user_"},
      {"user.id", "user_id"},
      {"user id", "user_id"},
      {"user[]", "user"},
      {"user.a[b.c]", "user_a"},
      {"[a]", "[a]"},
      {" [a]", "[a]"},
      {"..", "__"},
  };
  for (const auto& test : cases) {
    std::string scratch = "left from before";
    EXPECT_EQ(PhpName(test.name, scratch), test.php) << test.name;
  }
}

}  // namespace
}  // namespace sluice
