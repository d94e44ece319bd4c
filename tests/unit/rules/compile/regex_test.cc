#include "rules/compile/regex.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice {
namespace {

bool Matches(std::string_view pattern, std::string_view text) {
  const Result<Regex> regex = Regex::Compile(pattern);
  EXPECT_TRUE(regex.ok()) << pattern;
  return regex.ok() && regex.value().MatchesWhole(text);
}

std::string ErrorOf(std::string_view pattern) {
  const Result<Regex> regex = Regex::Compile(pattern);
  return regex.ok() ? "" : regex.error().message;
}

TEST(RegexTest, MatchesOnlyWholeText) {
  EXPECT_TRUE(Matches("/v[0-9]+", "/v1"));
  EXPECT_TRUE(Matches("/v[0-9]+", "/v12"));
  EXPECT_FALSE(Matches("/v[0-9]+", "/v1/posts"));
  EXPECT_FALSE(Matches("/v[0-9]+", "x/v1"));
  EXPECT_TRUE(Matches("a|ab", "ab"));
  EXPECT_FALSE(Matches("a|ab", "abc"));
}

TEST(RegexTest, EmptyPatternMatchesOnlyEmptyText) {
  EXPECT_TRUE(Matches("", ""));
  EXPECT_TRUE(Matches("", std::string_view()));
  EXPECT_FALSE(Matches("", "a"));
  EXPECT_TRUE(Matches(".*", ""));
}

TEST(RegexTest, NewlineIsNeitherEndNorAnyCharacter) {
  EXPECT_FALSE(Matches("abc", "abc\n"));
  EXPECT_FALSE(Matches("a.c", "a\nc"));
  EXPECT_TRUE(Matches("(?s)a.c", "a\nc"));
}

TEST(RegexTest, DotMatchesOneUtf8Character) {
  EXPECT_TRUE(Matches(".", "\xC3\xA4"));
  EXPECT_FALSE(Matches("..", "\xC3\xA4"));
  EXPECT_TRUE(Matches("\\p{L}+",
                      "Stra\xC3\x9F"
                      "e"));
}

// Clients choose the bytes of a path; no byte may evade a rule for `/private/.*`.
TEST(RegexTest, DotMatchesInvalidUtf8Byte) {
  EXPECT_TRUE(Matches(".", "\xFF"));
  EXPECT_TRUE(Matches("/private/.*", "/private/a\xFF\xC3"));
  EXPECT_TRUE(Matches("a..\xC3\xA4", "a\xC3\xC3\xC3\xA4"));
  EXPECT_TRUE(Matches("[^a]", "\xFF"));
  EXPECT_FALSE(Matches("[a-z]", "\xFF"));
  EXPECT_FALSE(Matches("a", "a\xFF"));
}

TEST(RegexTest, MatchesZeroBytes) {
  EXPECT_TRUE(Matches("a\\x00b", std::string_view("a\0b", 3)));
  EXPECT_FALSE(Matches("a", std::string_view("a\0", 2)));
}

TEST(RegexTest, ErrorsNameReasonAndPiece) {
  EXPECT_EQ(ErrorOf("/v1/(a|b"), "the regex does not compile: missing ) in '/v1/(a|b'");
  EXPECT_EQ(ErrorOf("a**"), "the regex does not compile: bad repetition operator in '**'");
  EXPECT_EQ(ErrorOf("[a"), "the regex does not compile: missing ] in '[a'");
  EXPECT_EQ(ErrorOf("(a)\\1"), "the regex does not compile: invalid escape sequence in '\\1'");
  EXPECT_EQ(ErrorOf("a\xFF"), "the regex does not compile: invalid UTF-8");
}

TEST(RegexTest, RejectsLargeProgramsAndLongExpressions) {
  EXPECT_EQ(ErrorOf("\\pL{1000}"),
            "the regex does not compile: pattern too large - compile failed");
  EXPECT_EQ(ErrorOf("((a{100}){100}){100}"),
            "the regex does not compile: invalid repetition size in '{100}'");
  EXPECT_EQ(ErrorOf(std::string(kMaxRegexBytes, 'a')), "");
  EXPECT_EQ(ErrorOf(std::string(kMaxRegexBytes + 1, 'a')),
            "a regex must be at most 10000 bytes, found 10001; write the values as a list");
}

TEST(RegexTest, NestedRepetitionsDoNotSlowMatching) {
  const std::string text(10'000, 'a');
  EXPECT_FALSE(Matches("(a*)*b", text));
  EXPECT_TRUE(Matches("(a?){50}a*", text));
}

TEST(RegexTest, WritesNothingToStandardError) {
  testing::internal::CaptureStderr();
  EXPECT_NE(ErrorOf("("), "");
  EXPECT_NE(ErrorOf("\\pL{1000}"), "");
  EXPECT_FALSE(Matches("(x+x+)+y", std::string(10'000, 'x')));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RegexTest, MovedRegexStillMatches) {
  Regex first = Regex::Compile("a+").value();
  Regex second = std::move(first);
  EXPECT_TRUE(second.MatchesWhole("aaa"));
  first = Regex::Compile("b+").value();
  EXPECT_TRUE(first.MatchesWhole("bb"));
}

TEST(RegexTest, ThreadsCanShareOneRegex) {
  const Regex regex = Regex::Compile("(a|b)*c[0-9]+").value();
  std::vector<int> matched(4, 0);
  std::vector<std::thread> threads;
  for (int& count : matched) {
    threads.emplace_back([&regex, &count] {
      for (int i = 0; i < 1000; ++i) {
        count += regex.MatchesWhole("abab" + std::string("c") + std::to_string(i)) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(matched, std::vector<int>(4, 1000));
}

}  // namespace
}  // namespace sluice
