#include "doctor/finding.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

const Finding kGood{.check = "version", .where = "a:1", .found = "Redis 7.0.15"};
const Finding kBad{.grade = Grade::kFailure,
                   .check = "role",
                   .where = "a:1",
                   .found = "a \"replica\"",
                   .advice = "name its primary"};

TEST(FindingTest, FormatsOneLine) {
  EXPECT_EQ(FindingText(kGood, ColorMode::kPlain), "ok       version      a:1: Redis 7.0.15\n");
  EXPECT_EQ(FindingText(kBad, ColorMode::kPlain),
            "failure  role         a:1: a \"replica\"; name its primary\n");
}

TEST(FindingTest, ColorsOnlyTheGrade) {
  const std::string text = FindingText(kBad, ColorMode::kColor);
  EXPECT_NE(text, FindingText(kBad, ColorMode::kPlain));
  EXPECT_TRUE(text.ends_with("  role         a:1: a \"replica\"; name its primary\n")) << text;
}

TEST(FindingTest, FormatsOneLineOfJson) {
  EXPECT_EQ(FindingJson(kGood),
            R"({"grade":"ok","check":"version","where":"a:1","found":"Redis 7.0.15","advice":null})"
            "\n");
  EXPECT_EQ(FindingJson(kBad), R"({"grade":"failure","check":"role","where":"a:1",)"
                               R"("found":"a \"replica\"","advice":"name its primary"})"
                               "\n");
}

}  // namespace
}  // namespace sluice::cli
