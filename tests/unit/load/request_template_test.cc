#include "load/request_template.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice {
namespace {

std::string BuildNothing(std::string_view /*key*/) { return "PING"; }

std::string BuildTwice(std::string_view key) {
  return "0/" + std::string(key) + "/1/" + std::string(key) + std::string(key) + "10";
}

std::string For(const RequestTemplate& request, std::uint64_t key) {
  std::string out = "before ";
  request.Append(key, out);
  return out.substr(7);
}

// Invariant (1).
TEST(RequestTemplateTest, AppendsWhatTheBuilderReturns) {
  const RequestTemplate request(1000, BuildTwice);
  EXPECT_EQ(For(request, 0), BuildTwice("000"));
  EXPECT_EQ(For(request, 7), BuildTwice("007"));
  EXPECT_EQ(For(request, 101), BuildTwice("101"));
  EXPECT_EQ(For(request, 999), BuildTwice("999"));
  EXPECT_EQ(request.size(), BuildTwice("000").size());
}

TEST(RequestTemplateTest, PadsKeysToTheWidthOfTheLastKey) {
  EXPECT_EQ(For(RequestTemplate(1, BuildTwice), 0), BuildTwice("0"));
  EXPECT_EQ(For(RequestTemplate(10, BuildTwice), 9), BuildTwice("9"));
  EXPECT_EQ(For(RequestTemplate(11, BuildTwice), 9), BuildTwice("09"));
  EXPECT_EQ(For(RequestTemplate(10'000'000'000'000'000'000U, BuildTwice), 1),
            BuildTwice("0000000000000000001"));
}

TEST(RequestTemplateTest, SupportsRequestsWithoutAKey) {
  EXPECT_EQ(For(RequestTemplate(1000, BuildNothing), 5), "PING");
}

}  // namespace
}  // namespace sluice
