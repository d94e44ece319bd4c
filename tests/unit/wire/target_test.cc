#include "wire/target.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sluice {
namespace {

std::string Normal(std::string_view path) {
  std::string scratch = "left from before";
  return std::string(NormalPath(path, scratch).value_or("fault"));
}

TEST(TargetTest, SplitsAtTheFirstQuestionMark) {
  EXPECT_EQ(SplitTarget("/a?b=c?d").path, "/a");
  EXPECT_EQ(SplitTarget("/a?b=c?d").query, "b=c?d");
  EXPECT_EQ(SplitTarget("/a").path, "/a");
  EXPECT_EQ(SplitTarget("/a").query, "");
  EXPECT_EQ(SplitTarget("?x").path, "");
  EXPECT_EQ(SplitTarget("?x").query, "x");
  EXPECT_EQ(SplitTarget("").path, "");
}

TEST(TargetTest, OneResourceHasOneName) {
  for (const char* path : {"/v1/posts", "/v1//posts", "/v1/./posts", "/v1/%70osts", "//v1/posts",
                           "/v1/x/../posts", "/../v1/posts", "/%76%31/posts", "/v1/%2e/posts",
                           "/v1/x/%2E%2e/posts", "/./v1/.//./posts", "/v1/x//../posts"}) {
    EXPECT_EQ(Normal(path), "/v1/posts") << path;
  }
}

TEST(TargetTest, EachPartOfTheFormHolds) {
  const struct {
    std::string_view path;
    std::string_view normal;
  } cases[] = {
      {"", "/"},
      {"/", "/"},
      {"//", "/"},
      {"/.", "/"},
      {"/..", "/"},
      {"/../../..", "/"},
      {"/a/", "/a/"},
      {"/a//", "/a/"},
      {"/a/.", "/a/"},
      {"/a/..", "/"},
      {"/a/b/..", "/a/"},
      {"/a/b/../", "/a/"},
      {"/a/b/../../../c", "/c"},
      {"/a/../b/./../c/d", "/c/d"},
      {"/...", "/..."},
      {"/.a/..b/c.", "/.a/..b/c."},
      {"/.well-known/x", "/.well-known/x"},
      {"/a%2Fb", "/a%2Fb"},
      {"/a%2fb", "/a%2Fb"},
      {"/a%2f..%2fb", "/a%2F..%2Fb"},
      {"/a;v=1/b;w", "/a;v=1/b;w"},
      {"/a%3Bv", "/a%3Bv"},
      {"/%c3%a9", "/%C3%A9"},
      {"/%00", "/%00"},
      {"/%25%37%30", "/%2570"},
      {"/%2570osts", "/%2570osts"},
      {"/%7Eme/%2D%5F", "/~me/-_"},
      {"/a b\\c", "/a b\\c"},
  };
  for (const auto& test : cases) EXPECT_EQ(Normal(test.path), test.normal) << test.path;
}

TEST(TargetTest, MalformedPathsHaveNoForm) {
  for (const char* path : {"/%", "/%2", "/%zz", "/%2x", "/%x2", "/a/%%20", "/%2%30", "a", "*", "?",
                           "%2Fa", "../a", "http://a/"}) {
    EXPECT_EQ(Normal(path), "fault") << path;
  }
}

TEST(TargetTest, ANormalPathIsReturnedAsItIs) {
  std::string scratch = "untouched";
  for (const std::string_view path : {"/", "/v1/posts", "/a/.b/c..d/", "/a;x=.;y"}) {
    EXPECT_EQ(NormalPath(path, scratch)->data(), path.data()) << path;
  }
  EXPECT_EQ(scratch, "untouched");
}

TEST(TargetTest, TheFormOfAFormIsItself) {
  // All paths of five of these pieces.
  constexpr std::string_view kPieces[] = {"/", ".", "a", "%2e", "%2F", "%25"};
  constexpr int kCount = 6;
  for (int i = 0; i < kCount * kCount * kCount * kCount * kCount; ++i) {
    std::string path = "/";
    for (int rest = i, piece = 0; piece < 5; ++piece, rest /= kCount)
      path += kPieces[rest % kCount];
    const std::string normal = Normal(path);
    ASSERT_EQ(Normal(normal), normal) << path;
    ASSERT_EQ(normal.find("//"), std::string::npos) << path;
    ASSERT_EQ((normal + "/").find("/./"), std::string::npos) << path;
    ASSERT_EQ((normal + "/").find("/../"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace sluice
