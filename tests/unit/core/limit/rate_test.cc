#include "core/limit/rate.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(RateTest, FormatsShortRatesThatReadBack) {
  for (const char* text : {"100/m", "2/month", "2/30d", "5/h", "5/1h", "1/10s", "7/ns", "1/1.5h",
                           "3/w", "3/1w", "1/365d", "1/year", "0/s"}) {
    EXPECT_EQ(FormatRate(ParseRate(text).value()), text);
  }
  EXPECT_EQ(FormatRate(ParseRate("2/1month").value()), "2/30d");
  EXPECT_EQ(FormatRate(ParseRate("5/60s").value()), "5/m");
}

TEST(RateTest, CalendarUnitsAreAsLongAsPlainPeriods) {
  EXPECT_EQ(LengthOf(CalendarUnit::kHour), std::chrono::hours{1});
  EXPECT_EQ(LengthOf(CalendarUnit::kWeek), std::chrono::days{7});
  EXPECT_EQ(LengthOf(CalendarUnit::kMonth), std::chrono::days{30});
  EXPECT_EQ(LengthOf(CalendarUnit::kYear), std::chrono::days{365});
}

}  // namespace
}  // namespace sluice
