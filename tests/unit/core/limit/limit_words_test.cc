#include "core/limit/limit_words.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "base/enum_name.h"
#include "base/spelling.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 4> kKnown = {"burst", "buckets", "rate", "ttl"};

TEST(LimitWordsTest, FindsNamesOfEnumerators) {
  EXPECT_EQ(WordOf(Algorithm::kTokenBucket), "token_bucket");
  EXPECT_EQ(WordOf(Algorithm::kConcurrency), "concurrency");
  EXPECT_EQ(WordOf(WindowKind::kFirstRequest), "first_request");
  EXPECT_EQ(WordOf(OldestPart::kWeighted), "weighted");
  EXPECT_EQ(WordOf(static_cast<Refill>(9)), "");
}

TEST(LimitWordsTest, SuggestsSimilarName) {
  EXPECT_EQ(NearestWord("brust", kKnown), "burst");
  EXPECT_EQ(NearestWord("bursts", kKnown), "burst");
  EXPECT_EQ(NearestWord("bucket", kKnown), "buckets");
  EXPECT_EQ(NearestWord("rte", kKnown), "rate");
  EXPECT_EQ(NearestWord("ttl", kKnown), "ttl");
  EXPECT_EQ(Suggestion("brust", kKnown), "; did you mean 'burst'?");
}

TEST(LimitWordsTest, SuggestsNothingIfNoNameIsSimilar) {
  EXPECT_EQ(NearestWord("b", kKnown), "");
  EXPECT_EQ(NearestWord("", kKnown), "");
  EXPECT_EQ(NearestWord("limit", kKnown), "");
  EXPECT_EQ(NearestWord(std::string(100'000, 'b'), kKnown), "");
  EXPECT_EQ(Suggestion("limit", kKnown), "; expected burst, buckets, rate or ttl");
}

TEST(LimitWordsTest, JoinsWordsAsInSentence) {
  const std::array<std::string_view, 2> two = {"a", "b"};
  EXPECT_EQ(JoinWords({}, "or"), "");
  EXPECT_EQ(JoinWords({two.data(), 1}, "or"), "a");
  EXPECT_EQ(JoinWords(two, "or"), "a or b");
  EXPECT_EQ(JoinWords(kKnown, "and"), "burst, buckets, rate and ttl");
}

}  // namespace
}  // namespace sluice
