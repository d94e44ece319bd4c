// Tests what envoyproxy/ratelimit promises about the units of a limit and their windows.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/text.h"
#include "contract/rule_fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Nanos kInstant{1};  // the resolution of time

class EnvoyRatelimitUnitsTest : public RuleFixture {
 protected:
  void LoadUnit(std::string_view unit) {
    ASSERT_EQ(Load(Concat("domain: api\n"
                          "descriptors:\n"
                          "  - { key: user, rate_limit: { requests_per_unit: 2, unit: ",
                          unit, " } }\n")),
              "");
  }

  // Expects two requests per window of `length`, with windows aligned to 1970.
  void ExpectWindows(std::string_view unit, Nanos length) {
    LoadUnit(unit);
    const Nanos now = clock_.Now().time_since_epoch();
    const Time begin{(now / length + 1) * length};
    const Nanos late = length / 3;
    clock_.Set(begin + late);
    EXPECT_EQ(CountPassing(5, kUser), 2);
    EXPECT_EQ(verdict_.retry_after(), length - late);
    EXPECT_EQ(verdict_.nearest()->decision.reset_after, length - late);
    EXPECT_EQ(verdict_.nearest()->decision.limit, 2);
    clock_.Set(begin + length - kInstant);
    EXPECT_EQ(CountPassing(5, kUser), 0);
    EXPECT_EQ(verdict_.retry_after(), kInstant);
    clock_.Set(begin + length);
    EXPECT_EQ(CountPassing(5, kUser), 2);
    EXPECT_EQ(verdict_.retry_after(), length);
  }

  const Entries kUser = {{"user", "42"}};
};

TEST_F(EnvoyRatelimitUnitsTest, UnitSecond) { ExpectWindows("second", seconds{1}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitMinute) { ExpectWindows("minute", minutes{1}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitHour) { ExpectWindows("hour", hours{1}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitDay) { ExpectWindows("day", days{1}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitWeek) { ExpectWindows("week", days{7}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitMonth) { ExpectWindows("month", days{30}); }
TEST_F(EnvoyRatelimitUnitsTest, UnitYear) { ExpectWindows("year", days{365}); }

TEST_F(EnvoyRatelimitUnitsTest, AcceptsUnitInCapitals) { ExpectWindows("HOUR", hours{1}); }

TEST_F(EnvoyRatelimitUnitsTest, WeeksAlignToEpochAndBeginOnThursday) {
  LoadUnit("week");
  const sys_days thursday = year{2026} / 3 / 12;
  ASSERT_EQ(std::chrono::weekday{thursday}, std::chrono::Thursday);
  clock_.Set(Time{thursday});
  EXPECT_EQ(CountPassing(3, kUser), 2);
  clock_.Set(Time{sys_days{year{2026} / 3 / 16}});  // a Monday
  EXPECT_FALSE(Passes(kUser));
  EXPECT_EQ(verdict_.retry_after(), days{3});
  clock_.Set(Time{thursday + days{7}});
  EXPECT_TRUE(Passes(kUser));
}

TEST_F(EnvoyRatelimitUnitsTest, MonthsAreThirtyDaysAndDriftFromCalendar) {
  LoadUnit("month");
  // This is 20,520 days after 1970, or 684 months of 30 days.
  const sys_days begin = year{2026} / 3 / 8;
  ASSERT_EQ(begin.time_since_epoch(), days{684 * 30});
  clock_.Set(Time{begin});
  EXPECT_EQ(CountPassing(3, kUser), 2);
  clock_.Set(Time{sys_days{year{2026} / 4 / 1}});
  EXPECT_FALSE(Passes(kUser));
  clock_.Set(Time{sys_days{year{2026} / 4 / 7}});
  EXPECT_TRUE(Passes(kUser));
}

TEST_F(EnvoyRatelimitUnitsTest, YearsAre365DaysAndDriftFromCalendar) {
  LoadUnit("year");
  const sys_days begin = year{2026} / 12 / 18;
  ASSERT_EQ(begin.time_since_epoch(), days{57 * 365});
  clock_.Set(Time{begin});
  EXPECT_EQ(CountPassing(3, kUser), 2);
  clock_.Set(Time{sys_days{year{2027} / 1 / 1}});
  EXPECT_FALSE(Passes(kUser));
  clock_.Set(Time{sys_days{year{2027} / 12 / 18}});
  EXPECT_TRUE(Passes(kUser));
}

}  // namespace
}  // namespace sluice::testing
