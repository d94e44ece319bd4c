#include "core/calendar/posix_tz.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/core/calendar/zone_files.h"

namespace sluice {
namespace {

using std::chrono::year;

PosixRule Rule(std::string_view text) {
  const auto rule = ParsePosixRule(text);
  EXPECT_TRUE(rule.has_value()) << text;
  return rule.value_or(PosixRule{});
}

std::int64_t FirstChangeIn(std::string_view text, int in) {
  const auto changes = Rule(text).ChangesIn(year{in}, year{in});
  return changes.empty() ? 0 : changes.front().from;
}

TEST(PosixTzTest, NegatesOffsetBecauseWestIsPositive) {
  EXPECT_EQ(Rule("EST5").offset, -5 * 3600);
  EXPECT_EQ(Rule("CET-1").offset, 3600);
  EXPECT_EQ(Rule("<+0545>-5:45").offset, 5 * 3600 + 45 * 60);
  EXPECT_EQ(Rule("<-00>0").offset, 0);
  EXPECT_EQ(Rule("LMT0:44:30").offset, -(44 * 60 + 30));
  EXPECT_FALSE(Rule("UTC0").summer.has_value());
}

TEST(PosixTzTest, SummerTimeIsOneHourAheadByDefault) {
  EXPECT_EQ(Rule("EST5EDT,M3.2.0,M11.1.0").summer->offset, -4 * 3600);
  EXPECT_EQ(Rule("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0").summer->offset, 11 * 3600);
  EXPECT_EQ(Rule("IST-1GMT0,M10.5.0,M3.5.0/1").summer->offset, 0);
}

TEST(PosixTzTest, ReadsAllThreeFormsOfDay) {
  EXPECT_EQ(FirstChangeIn("AAA0BBB,M3.2.0,M11.1.0", 2024), SecondsAt("2024-03-10T02:00:00Z"));
  EXPECT_EQ(FirstChangeIn("AAA0BBB,M3.5.0,M11.1.0", 2024), SecondsAt("2024-03-31T02:00:00Z"));
  // J60 is 1 March in every year; day 59 is 29 February in a leap year.
  EXPECT_EQ(FirstChangeIn("AAA0BBB,J60,J300", 2024), SecondsAt("2024-03-01T02:00:00Z"));
  EXPECT_EQ(FirstChangeIn("AAA0BBB,J60,J300", 2023), SecondsAt("2023-03-01T02:00:00Z"));
  EXPECT_EQ(FirstChangeIn("AAA0BBB,59,300", 2024), SecondsAt("2024-02-29T02:00:00Z"));
  EXPECT_EQ(FirstChangeIn("AAA0BBB,59,300", 2023), SecondsAt("2023-03-01T02:00:00Z"));
}

TEST(PosixTzTest, AcceptsTimesOutsideTheirDay) {
  EXPECT_EQ(FirstChangeIn("AAA0BBB,M3.4.4/50,M10.4.4/50", 2024), SecondsAt("2024-03-30T02:00:00Z"));
  EXPECT_EQ(FirstChangeIn("AAA2BBB,M3.5.0/-1,M10.5.0/0", 2024), SecondsAt("2024-03-31T01:00:00Z"));
}

TEST(PosixTzTest, SortsChangesSouthOfTheEquator) {
  const auto changes = Rule("AAA-10BBB,M10.1.0,M4.1.0/3").ChangesIn(year{2024}, year{2024});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].from, SecondsAt("2024-04-06T16:00:00Z"));
  EXPECT_EQ(changes[0].offset, 36000);
  EXPECT_EQ(changes[1].from, SecondsAt("2024-10-05T16:00:00Z"));
  EXPECT_EQ(changes[1].offset, 39600);
}

TEST(PosixTzTest, RejectsMalformedRules) {
  for (const char* text : {"",
                           "5",
                           "AB5",
                           "EST",
                           "EST25",
                           "EST5:60",
                           "EST5EDT",
                           "EST5EDT,M3.2.0",
                           "<EST5",
                           "EST5EDT,M13.1.0,M11.1.0",
                           "EST5EDT,M0.1.0,M11.1.0",
                           "EST5EDT,M3.6.0,M11.1.0",
                           "EST5EDT,M3.0.0,M11.1.0",
                           "EST5EDT,M3.1.7,M11.1.0",
                           "EST5EDT,J0,J300",
                           "EST5EDT,J366,J1",
                           "EST5EDT,366,1",
                           "EST5EDT,M3.2.0/168,M11.1.0",
                           "EST5EDT,M3.2.0,M11.1.0x",
                           "EST5 ",
                           "EST99999999999",
                           ":America/New_York"}) {
    EXPECT_FALSE(ParsePosixRule(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace sluice
