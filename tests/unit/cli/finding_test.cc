#include "cli/finding.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

const Finding kGood{.check = "version", .where = "a:1", .found = "Redis 7.0.15"};
const Finding kBad{.grade = Grade::kFailure,
                   .check = "role",
                   .where = "a:1",
                   .found = "a \"replica\"",
                   .advice = "name its primary"};

TEST(FindingTest, IsOneLine) {
  EXPECT_EQ(FindingText(kGood, Ink::kPlain), "ok       version      a:1: Redis 7.0.15\n");
  EXPECT_EQ(FindingText(kBad, Ink::kPlain),
            "failure  role         a:1: a \"replica\"; name its primary\n");
}

TEST(FindingTest, OnlyTheGradeIsInColor) {
  const std::string text = FindingText(kBad, Ink::kColor);
  EXPECT_NE(text, FindingText(kBad, Ink::kPlain));
  EXPECT_TRUE(text.ends_with("  role         a:1: a \"replica\"; name its primary\n")) << text;
}

TEST(FindingTest, IsALineOfJson) {
  EXPECT_EQ(FindingJson(kGood),
            R"({"grade":"ok","check":"version","where":"a:1","found":"Redis 7.0.15","advice":null})"
            "\n");
  EXPECT_EQ(FindingJson(kBad), R"({"grade":"failure","check":"role","where":"a:1",)"
                               R"("found":"a \"replica\"","advice":"name its primary"})"
                               "\n");
}

}  // namespace
}  // namespace sluice::cli
