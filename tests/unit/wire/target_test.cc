#include "wire/target.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

namespace sluice {
namespace {

std::string Normal(std::string_view path) {
  PathScratch scratch{"left from before", "and this"};
  const auto result = NormalPath(path, scratch);
  const auto* const forms = std::get_if<PathForms>(&result);
  return forms != nullptr ? std::string(forms->strict) : "fault";
}

std::string Lenient(std::string_view path) {
  PathScratch scratch{"left from before", "and this"};
  const auto result = NormalPath(path, scratch);
  const auto* const forms = std::get_if<PathForms>(&result);
  return forms != nullptr ? std::string(forms->lenient) : "fault";
}

// Returns the reason that the path has no forms; empty if it has forms.
std::string Reason(std::string_view path, PathFault::Kind kind = PathFault::Kind::kAmbiguous) {
  PathScratch scratch;
  const auto result = NormalPath(path, scratch);
  const auto* const fault = std::get_if<PathFault>(&result);
  if (fault == nullptr) return "";
  EXPECT_EQ(fault->kind, kind) << path;
  return fault->reason;
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

TEST(TargetTest, EndsTheQueryAtAFragment) {
  EXPECT_EQ(SplitTarget("/a?b=c#d").query, "b=c");
  EXPECT_EQ(SplitTarget("/a#d?b=c").path, "/a#d");
  EXPECT_EQ(SplitTarget("/a#d?b=c").query, "b=c");
}

TEST(TargetTest, NormalizesAllSpellingsOfAPath) {
  for (const char* path : {"/v1/posts", "/v1//posts", "/v1/./posts", "/v1/%70osts", "//v1/posts",
                           "/v1/x/../posts", "/../v1/posts", "/%76%31/posts", "/v1/%2e/posts",
                           "/v1/x/%2E%2e/posts", "/./v1/.//./posts", "/v1/x//../posts"}) {
    EXPECT_EQ(Normal(path), "/v1/posts") << path;
  }
}

TEST(TargetTest, ComputesTheStrictForm) {
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
      {"/a;v=1/b;w", "/a;v=1/b;w"},
      {"/a%3Bv", "/a%3Bv"},
      {"/%c3%a9", "/%C3%A9"},
      {"/%01", "/%01"},
      {"/a#1", "/a"},
      {"/a/#", "/a/"},
      {"#1", "/"},
      {"/caf\xC3\xA9", "/caf%C3%A9"},
      {"/a%5cb", "/a%5Cb"},
      {"/%25%37%30", "/%2570"},
      {"/%2570osts", "/%2570osts"},
      {"/%7Eme/%2D%5F", "/~me/-_"},
      {"/a b\\c", "/a b\\c"},
  };
  for (const auto& test : cases) EXPECT_EQ(Normal(test.path), test.normal) << test.path;
}

TEST(TargetTest, RejectsMalformedPaths) {
  for (const char* path :
       {"/%", "/%2", "/%zz", "/%2x", "/%x2", "/a/%%20", "/%2%30", "a", "*", "?", "%2Fa", "../a",
        "http://a/", "/%00", "/private%00.html", "/a#/../b", "/a#\\..\\b", "/a#%2f", "\\a"}) {
    EXPECT_EQ(Normal(path), "fault") << path;
  }
  EXPECT_EQ(Normal({"/a\0b", 4}), "fault");
}

TEST(TargetTest, ComputesTheLenientForm) {
  const struct {
    std::string_view path;
    std::string_view lenient;
  } cases[] = {
      {"", "/"},
      {"/", "/"},
      {"//", "/"},
      {"/v1/posts", "/v1/posts"},
      {"/v1/posts/", "/v1/posts/"},
      {"/v1/posts//", "/v1/posts/"},
      {"/v1/posts/.", "/v1/posts/"},
      {"/v1/posts%2F", "/v1/posts/"},
      {"/v1/posts%5c", "/v1/posts/"},
      {"/v1/posts\\", "/v1/posts/"},
      {"/v1/posts;/", "/v1/posts/"},
      {"/v1/posts/;a", "/v1/posts/"},
      {"/v1/posts/%3Fa", "/v1/posts/"},
      {"/v1/posts#1", "/v1/posts"},
      {"/v1/messages%3Asend", "/v1/messages:send"},
      {"/v1/messages%3asend", "/v1/messages:send"},
      {"/private%2Fx", "/private/x"},
      {"/private%2fx", "/private/x"},
      {"/a%2F%2fb%2Fc", "/a/b/c"},
      {"/private;a=b/x", "/private/x"},
      {"/private;a=b;c/x;d", "/private/x"},
      {"/private/x;jsessionid=1", "/private/x"},
      {"/private%3Ba=b/x", "/private/x"},
      {"/;a/private/;b/x", "/private/x"},
      {"/a;b=%3B/%3f/x", "/a/?/x"},
      {"/a/.;b/x", "/a/x"},
      {"/private\\x", "/private/x"},
      {"/private%5cx", "/private/x"},
      {"/private%5Cx", "/private/x"},
      {"/private%252Fx", "/private%2Fx"},
      {"/a/%252e%252e/x", "/a/%2e%2e/x"},
      {"/caf%C3%A9", "/caf\xC3\xA9"},
      {"/caf%c3%a9", "/caf\xC3\xA9"},
      {"/caf\xC3\xA9", "/caf\xC3\xA9"},
      {"/a%c0%afb",
       "/a\xC0\xAF"
       "b"},
      {"/a%ffb",
       "/a\xFF"
       "b"},
      {"/a%20b", "/a b"},
      {"/a%3Fb", "/a"},
      {"/a%23b", "/a"},
      {"/a/%23", "/a/"},
      {"/a%23/b", "/a#/b"},
      {"/a;", "/a"},
      {"/;", "/"},
  };
  for (const auto& test : cases) EXPECT_EQ(Lenient(test.path), test.lenient) << test.path;
}

TEST(TargetTest, RejectsPathsWithAThirdReading) {
  for (const char* path :
       {// Two differences.
        "/a;b/c%2Fd", "/a%2Fb\\c", "/a%2Fb%5Cc", "/a%5Cb\\c", "/a;b\\c", "/a;b%5Cc", "/a;b%2Fc",
        "/a%3Bb/c%2F", "/a%3Bb;c", "/a;b/c%3Bd", "/a%2Fb%3F", "/a%23b%2Fc", "/a;b%23", "/a\\%3F",
        "/static/a%5Cb%2F..%2F..%2Fprivate%2Fsecret", "/private%2F..;%2F..%2Fsecret", "/login;%2Fb",
        "/private;%2F..%2F..%2Fz/y", "/static/x;%2Fb%2Fc/..;/..;/private/y",
        // One and "..".
        "/a/..;/b", "/a/..;b=c/d", "/..%2f..%2fb", "/a/..%2Fb", "/a%2F..", "/a\\..\\b", "/a%5c..",
        "/a/..%3Bb", "/a/..%3F", "/a/..%23x", "/a;b/../c", "/a%2Fb/../c", "/../a%2Fb",
        "/a%2f%2e%2E%2fb", "/a/.;/../b"}) {
    EXPECT_NE(Reason(path), "") << path;
  }
  EXPECT_EQ(Reason("/a%2fb;c"),
            "has both '%2F' and ';', so that applications could read it in more than two ways");
  EXPECT_EQ(Reason("/a\\..%3f"),
            "has both '\\' and '%3F' or '%23' at its end, so that applications could read it in "
            "more than two ways");
  EXPECT_EQ(Reason("/a%5C../b"),
            "has both '%5C' and '..', so that applications could read it in more than two ways");
  for (const char* path : {"/a;v=1/b", "/a%2Fb", "/a/../b", "/a/%2e%2E/b", "/a%23/b%2Fc",
                           "/a..%2F...", "/a%2F.%2Fb", "/a;../b", "/%2e%2e/%41"}) {
    EXPECT_EQ(Reason(path), "") << path;
  }
}

TEST(TargetTest, ReportsWhyAPathIsMalformed) {
  const auto reason = [](std::string_view path) {
    return Reason(path, PathFault::Kind::kMalformed);
  };
  EXPECT_EQ(reason("/a%2"), "has a malformed escape or a NUL");
  EXPECT_EQ(reason("/a;b%2Fc%00"), "has a malformed escape or a NUL");
  EXPECT_EQ(reason("a"), "does not begin with '/'");
  EXPECT_EQ(reason("/a#/b"), "has '/', '\\' or '%' in its fragment");
}

TEST(TargetTest, ReturnsANormalPathItself) {
  PathScratch scratch{"untouched", "untouched"};
  for (const std::string_view path :
       {"/", "/v1/posts", "/v1/posts/", "/a/.b/c..d/", "/v1/messages:send", "/a*"}) {
    const auto forms = std::get<PathForms>(NormalPath(path, scratch));
    EXPECT_EQ(forms.strict.data(), path.data()) << path;
    EXPECT_EQ(forms.lenient.data(), path.data()) << path;
    EXPECT_FALSE(forms.differ());
  }
  EXPECT_EQ(scratch.strict, "untouched");
  EXPECT_EQ(scratch.lenient, "untouched");
}

TEST(TargetTest, ReportsWhetherFormsDiffer) {
  PathScratch scratch;
  for (const std::string_view path :
       {"/v1//posts", "/v1/./posts", "/%70", "/a/..", "/a#b", "/a/"}) {
    EXPECT_FALSE(std::get<PathForms>(NormalPath(path, scratch)).differ()) << path;
  }
  for (const std::string_view path : {"/a%2F", "/a%2Fb", "/a;b", "/a\\b", "/%C3%A9", "/\xC3\xA9"}) {
    EXPECT_TRUE(std::get<PathForms>(NormalPath(path, scratch)).differ()) << path;
  }
}

TEST(TargetTest, NormalizingIsIdempotent) {
  // Tries all paths made of five of these pieces.
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
    const std::string lenient = Lenient(path);
    ASSERT_EQ((lenient + "/").find("/../"), std::string::npos) << path;
    ASSERT_EQ(lenient.find("//"), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace sluice
