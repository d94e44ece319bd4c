#include "core/calendar/calendar.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/calendar/tzif.h"
#include "unit/core/calendar/zone_files.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

Zone Utc() { return Zone{"UTC", 0, {}}; }

struct Case {
  std::string zone;
  CalendarUnit unit;
  std::string now;
  std::string start;
  std::string end;
};

// The expected windows were found by a second-by-second scan with Python's zoneinfo (2025b), which
// shares no code with this project.
const std::vector<Case> kCases = {
    {"Europe/Berlin", CalendarUnit::kDay, "2024-03-31T10:00:00Z", "2024-03-30T23:00:00Z",
     "2024-03-31T22:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kDay, "2024-10-27T10:00:00Z", "2024-10-26T22:00:00Z",
     "2024-10-27T23:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kHour, "2024-10-27T00:30:00Z", "2024-10-27T00:00:00Z",
     "2024-10-27T02:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kHour, "2024-10-27T01:30:00Z", "2024-10-27T00:00:00Z",
     "2024-10-27T02:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kHour, "2024-03-31T01:00:00Z", "2024-03-31T01:00:00Z",
     "2024-03-31T02:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kWeek, "2024-03-28T12:00:00Z", "2024-03-24T23:00:00Z",
     "2024-03-31T22:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kMonth, "2024-03-31T21:59:59Z", "2024-02-29T23:00:00Z",
     "2024-03-31T22:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kMonth, "2024-03-31T22:00:00Z", "2024-03-31T22:00:00Z",
     "2024-04-30T22:00:00Z"},
    {"Europe/Berlin", CalendarUnit::kYear, "2024-12-31T23:00:00Z", "2024-12-31T23:00:00Z",
     "2025-12-31T23:00:00Z"},
    {"America/Sao_Paulo", CalendarUnit::kDay, "2018-11-04T02:59:59Z", "2018-11-03T03:00:00Z",
     "2018-11-04T03:00:00Z"},
    {"America/Sao_Paulo", CalendarUnit::kDay, "2018-11-04T03:00:00Z", "2018-11-04T03:00:00Z",
     "2018-11-05T02:00:00Z"},
    {"America/Sao_Paulo", CalendarUnit::kDay, "2018-02-18T02:30:00Z", "2018-02-17T02:00:00Z",
     "2018-02-18T03:00:00Z"},
    {"America/Sao_Paulo", CalendarUnit::kHour, "2018-02-18T02:30:00Z", "2018-02-18T01:00:00Z",
     "2018-02-18T03:00:00Z"},
    {"Asia/Beirut", CalendarUnit::kDay, "2022-03-26T22:00:00Z", "2022-03-26T22:00:00Z",
     "2022-03-27T21:00:00Z"},
    {"America/Havana", CalendarUnit::kDay, "2023-11-05T05:30:00Z", "2023-11-05T04:00:00Z",
     "2023-11-06T05:00:00Z"},
    {"America/Havana", CalendarUnit::kHour, "2023-11-05T05:30:00Z", "2023-11-05T04:00:00Z",
     "2023-11-05T06:00:00Z"},
    {"America/Havana", CalendarUnit::kMonth, "2020-11-01T05:30:00Z", "2020-11-01T04:00:00Z",
     "2020-12-01T05:00:00Z"},
    {"Atlantic/Azores", CalendarUnit::kDay, "2024-10-27T01:30:00Z", "2024-10-27T00:00:00Z",
     "2024-10-28T01:00:00Z"},
    {"Atlantic/Azores", CalendarUnit::kHour, "2024-10-27T01:30:00Z", "2024-10-27T00:00:00Z",
     "2024-10-27T02:00:00Z"},
    {"America/St_Johns", CalendarUnit::kDay, "2006-10-29T02:29:59Z", "2006-10-28T02:30:00Z",
     "2006-10-29T02:30:00Z"},
    {"America/St_Johns", CalendarUnit::kDay, "2006-10-29T02:30:00Z", "2006-10-29T02:30:00Z",
     "2006-10-30T03:30:00Z"},
    {"America/St_Johns", CalendarUnit::kDay, "2006-10-29T03:00:00Z", "2006-10-29T02:30:00Z",
     "2006-10-30T03:30:00Z"},
    {"America/St_Johns", CalendarUnit::kHour, "2006-10-29T03:00:00Z", "2006-10-29T02:30:00Z",
     "2006-10-29T04:30:00Z"},
    {"America/St_Johns", CalendarUnit::kMonth, "2010-11-07T02:00:00Z", "2010-11-01T02:30:00Z",
     "2010-12-01T03:30:00Z"},
    {"Pacific/Apia", CalendarUnit::kDay, "2011-12-30T09:59:59Z", "2011-12-29T10:00:00Z",
     "2011-12-30T10:00:00Z"},
    {"Pacific/Apia", CalendarUnit::kDay, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z",
     "2011-12-31T10:00:00Z"},
    {"Pacific/Apia", CalendarUnit::kHour, "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z",
     "2011-12-30T11:00:00Z"},
    {"Pacific/Apia", CalendarUnit::kWeek, "2011-12-30T12:00:00Z", "2011-12-26T10:00:00Z",
     "2012-01-01T10:00:00Z"},
    {"Pacific/Apia", CalendarUnit::kMonth, "2011-12-31T00:00:00Z", "2011-12-01T10:00:00Z",
     "2011-12-31T10:00:00Z"},
    {"Pacific/Apia", CalendarUnit::kYear, "2011-06-01T00:00:00Z", "2011-01-01T10:00:00Z",
     "2011-12-31T10:00:00Z"},
    {"Pacific/Kwajalein", CalendarUnit::kDay, "1993-08-21T11:59:59Z", "1993-08-20T12:00:00Z",
     "1993-08-21T12:00:00Z"},
    {"Pacific/Kwajalein", CalendarUnit::kDay, "1993-08-21T12:00:00Z", "1993-08-21T12:00:00Z",
     "1993-08-22T12:00:00Z"},
    {"Australia/Lord_Howe", CalendarUnit::kHour, "2024-04-06T14:59:00Z", "2024-04-06T14:00:00Z",
     "2024-04-06T15:30:00Z"},
    {"Australia/Lord_Howe", CalendarUnit::kHour, "2024-04-06T15:10:00Z", "2024-04-06T14:00:00Z",
     "2024-04-06T15:30:00Z"},
    {"Australia/Lord_Howe", CalendarUnit::kHour, "2024-10-05T15:40:00Z", "2024-10-05T15:30:00Z",
     "2024-10-05T16:00:00Z"},
    {"Australia/Lord_Howe", CalendarUnit::kDay, "2024-04-06T20:00:00Z", "2024-04-06T13:00:00Z",
     "2024-04-07T13:30:00Z"},
    {"Africa/Monrovia", CalendarUnit::kHour, "1972-01-07T00:40:00Z", "1972-01-06T23:44:30Z",
     "1972-01-07T00:44:30Z"},
    {"Africa/Monrovia", CalendarUnit::kHour, "1972-01-07T00:44:30Z", "1972-01-07T00:44:30Z",
     "1972-01-07T01:00:00Z"},
    {"Africa/Monrovia", CalendarUnit::kDay, "1972-01-07T00:44:30Z", "1972-01-07T00:44:30Z",
     "1972-01-08T00:00:00Z"},
    {"Asia/Kathmandu", CalendarUnit::kDay, "2024-05-01T00:00:00Z", "2024-04-30T18:15:00Z",
     "2024-05-01T18:15:00Z"},
    {"Europe/Dublin", CalendarUnit::kDay, "2025-10-26T12:00:00Z", "2025-10-25T23:00:00Z",
     "2025-10-27T00:00:00Z"},
    {"Africa/Casablanca", CalendarUnit::kDay, "2010-08-08T12:00:00Z", "2010-08-08T00:00:00Z",
     "2010-08-09T00:00:00Z"},
};

TEST(CalendarTest, MatchesPythonZoneinfoInRealZones) {
  if (!HasZoneFiles()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  for (const Case& c : kCases) {
    const Window window = WindowAt(LoadZone(c.zone), c.unit, At(c.now));
    EXPECT_EQ(window.start, At(c.start)) << c.zone << " start at " << c.now;
    EXPECT_EQ(window.end, At(c.end)) << c.zone << " end at " << c.now;
  }
}

TEST(CalendarTest, StartsEveryUnitAtItsFirstSecondInUtc) {
  const Time now = At("2024-02-29T13:14:15Z") + Nanos{999'999'999};
  const auto expect = [&](CalendarUnit unit, const char* start, const char* end) {
    EXPECT_EQ(WindowAt(Utc(), unit, now), (Window{At(start), At(end)})) << start;
  };
  expect(CalendarUnit::kHour, "2024-02-29T13:00:00Z", "2024-02-29T14:00:00Z");
  expect(CalendarUnit::kDay, "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z");
  expect(CalendarUnit::kWeek, "2024-02-26T00:00:00Z", "2024-03-04T00:00:00Z");
  expect(CalendarUnit::kMonth, "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z");
  expect(CalendarUnit::kYear, "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
}

TEST(CalendarTest, StartsWeeksOnMonday) {
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, At("2024-06-09T23:59:59Z")).start,
            At("2024-06-03T00:00:00Z"));
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, At("2024-06-10T00:00:00Z")).start,
            At("2024-06-10T00:00:00Z"));
}

TEST(CalendarTest, EndsDecemberWithTheYear) {
  const Window window = WindowAt(Utc(), CalendarUnit::kMonth, At("2023-12-31T23:59:59Z"));
  EXPECT_EQ(window.end, At("2024-01-01T00:00:00Z"));
}

TEST(CalendarTest, IncludesFirstNanosecondAndExcludesEnd) {
  const Time start = At("2024-06-01T00:00:00Z");
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kDay, start).start, start);
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kDay, start - Nanos{1}).end, start);
}

TEST(CalendarTest, SupportsTimesFrom1970ToLatestTime) {
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kYear, Time{}).start, Time{});
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, Time{}).start, At("1969-12-29T00:00:00Z"));
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kYear, kLatestTime).end, At("2161-01-01T00:00:00Z"));
}

TEST(CalendarTest, RepeatedHourIsOneLongerWindow) {
  // The clock is set back by an hour at noon UTC, when it would have shown 13:00.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T12:00:00Z"), 0}}};
  const Window twelve{At("2024-06-01T11:00:00Z"), At("2024-06-01T13:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T11:00:00Z")), twelve);
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T12:59:59Z")), twelve);
}

TEST(CalendarTest, SecondThatWasNeverShownOpensNoWindow) {
  // At midnight the clock is set back to 23:00, so it has never shown midnight.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T23:00:00Z"), 0}}};
  const Window first{At("2024-05-31T23:00:00Z"), At("2024-06-02T00:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:00:00Z")), first);
}

TEST(CalendarTest, LaterDayContinuesWhenClockIsSetBackOverMidnight) {
  // At 00:01 on 2 June the clock is set back to 23:01 on 1 June.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T23:01:00Z"), 0}}};
  const Window second{At("2024-06-01T23:00:00Z"), At("2024-06-03T00:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:00:30Z")), second);
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:30:00Z")), second);
}

TEST(CalendarTest, KeepsLatestTimeShownAfterTwoChangesWithinHours) {
  // The clock is set back by two hours, and an hour later by one more.
  const Zone zone{
      "test",
      3 * 3600,
      {{SecondsAt("2024-06-01T09:00:00Z"), 3600}, {SecondsAt("2024-06-01T10:00:00Z"), 0}}};
  const Window eleven{At("2024-06-01T08:00:00Z"), At("2024-06-01T12:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T11:59:59Z")), eleven);
}

TEST(CalendarTest, SkippedDayHasNoWindow) {
  const Zone zone{"test", -43200, {{SecondsAt("2024-06-02T12:00:00Z"), 43200}}};
  const Window before = WindowAt(zone, CalendarUnit::kDay, At("2024-06-02T11:59:59Z"));
  const Window after = WindowAt(zone, CalendarUnit::kDay, At("2024-06-02T12:00:00Z"));
  EXPECT_EQ(before.end, after.start);
  EXPECT_EQ(after, (Window{At("2024-06-02T12:00:00Z"), At("2024-06-03T12:00:00Z")}));
}

}  // namespace
}  // namespace sluice
