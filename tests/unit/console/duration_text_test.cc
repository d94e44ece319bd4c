#include "console/duration_text.h"

#include <gtest/gtest.h>

#include <chrono>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

TEST(DurationTextTest, ChoosesUnitBySize) {
  EXPECT_EQ(DurationText(0ns), "0s");
  EXPECT_EQ(DurationText(999ns), "999ns");
  EXPECT_EQ(DurationText(1500ns), "1.5us");
  EXPECT_EQ(DurationText(250ms), "250ms");
  EXPECT_EQ(DurationText(90s), "90s");
  EXPECT_EQ(DurationText(120s), "2m");
  EXPECT_EQ(DurationText(150min), "2.5h");
  EXPECT_EQ(DurationText(36h), "36h");
  EXPECT_EQ(DurationText(72h), "3d");
}

TEST(DurationTextTest, RoundsToThreeDecimals) {
  EXPECT_EQ(DurationText(1234567891ns), "1.235s");
  EXPECT_EQ(DurationText(1999999999ns), "2s");
  EXPECT_EQ(DurationText(1000400000ns), "1s");
  EXPECT_EQ(DurationText(1050ms), "1.05s");
}

TEST(DurationTextTest, FormatsMaximum) { EXPECT_EQ(DurationText(Nanos::max()), "106751.991d"); }

}  // namespace
}  // namespace sluice::cli
