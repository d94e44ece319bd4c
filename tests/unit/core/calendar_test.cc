#include "core/calendar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/tzif.h"
#include "unit/core/zone_files.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

Zone LoadZone(const std::string& name) {
  Result<Zone> zone = ParseTzif(name, ReadZoneBytes(name));
  EXPECT_TRUE(zone.ok()) << name;
  return zone.ok() ? zone.value() : Zone{};
}

Zone Utc() { return Zone{"UTC", 0, {}}; }

struct Case {
  std::string zone;
  CalendarUnit unit;
  std::string now;
  std::string start;
  std::string end;
};

// Found by a second-by-second scan in Python's zoneinfo (2025b), which shares no code with ours.
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

TEST(CalendarTest, WindowsOfRealZonesAreWhereTheirClocksPutThem) {
  if (!HasZoneFiles()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  for (const Case& c : kCases) {
    const Window window = WindowAt(LoadZone(c.zone), c.unit, At(c.now));
    EXPECT_EQ(window.start, At(c.start)) << c.zone << " start at " << c.now;
    EXPECT_EQ(window.end, At(c.end)) << c.zone << " end at " << c.now;
  }
}

TEST(CalendarTest, EveryUnitInUtcIsCutAtItsFirstSecond) {
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

TEST(CalendarTest, WeeksStartOnMonday) {
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, At("2024-06-09T23:59:59Z")).start,
            At("2024-06-03T00:00:00Z"));
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, At("2024-06-10T00:00:00Z")).start,
            At("2024-06-10T00:00:00Z"));
}

TEST(CalendarTest, DecemberEndsWithTheYear) {
  const Window window = WindowAt(Utc(), CalendarUnit::kMonth, At("2023-12-31T23:59:59Z"));
  EXPECT_EQ(window.end, At("2024-01-01T00:00:00Z"));
}

TEST(CalendarTest, AWindowHoldsItsFirstNanosecondAndNotItsEnd) {
  const Time start = At("2024-06-01T00:00:00Z");
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kDay, start).start, start);
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kDay, start - Nanos{1}).end, start);
}

TEST(CalendarTest, WindowsReachFrom1970ToTheLatestTime) {
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kYear, Time{}).start, Time{});
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kWeek, Time{}).start, At("1969-12-29T00:00:00Z"));
  EXPECT_EQ(WindowAt(Utc(), CalendarUnit::kYear, kLatestTime).end, At("2161-01-01T00:00:00Z"));
}

TEST(CalendarTest, ARepeatedHourIsOneLongerWindow) {
  // Put back by an hour at noon UTC, when the clock would have shown 13:00.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T12:00:00Z"), 0}}};
  const Window twelve{At("2024-06-01T11:00:00Z"), At("2024-06-01T13:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T11:00:00Z")), twelve);
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T12:59:59Z")), twelve);
}

TEST(CalendarTest, TheSecondAPutBackClockNeverShowedOpensNoWindow) {
  // At the instant of midnight the clock is put back to 23:00: midnight has not been shown.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T23:00:00Z"), 0}}};
  const Window first{At("2024-05-31T23:00:00Z"), At("2024-06-02T00:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:00:00Z")), first);
}

TEST(CalendarTest, ADayStaysTheLaterOneWhenTheClockIsPutBackOverMidnight) {
  // At 00:01 of 2 June the clock is put back to 23:01 of 1 June.
  const Zone zone{"test", 3600, {{SecondsAt("2024-06-01T23:01:00Z"), 0}}};
  const Window second{At("2024-06-01T23:00:00Z"), At("2024-06-03T00:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:00:30Z")), second);
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kDay, At("2024-06-01T23:30:00Z")), second);
}

TEST(CalendarTest, TwoChangesWithinHoursKeepTheLatestTimeShown) {
  // Put back by two hours, and an hour later by one more.
  const Zone zone{
      "test",
      3 * 3600,
      {{SecondsAt("2024-06-01T09:00:00Z"), 3600}, {SecondsAt("2024-06-01T10:00:00Z"), 0}}};
  const Window eleven{At("2024-06-01T08:00:00Z"), At("2024-06-01T12:00:00Z")};
  EXPECT_EQ(WindowAt(zone, CalendarUnit::kHour, At("2024-06-01T11:59:59Z")), eleven);
}

TEST(CalendarTest, ASkippedDayHasNoWindow) {
  const Zone zone{"test", -43200, {{SecondsAt("2024-06-02T12:00:00Z"), 43200}}};
  const Window before = WindowAt(zone, CalendarUnit::kDay, At("2024-06-02T11:59:59Z"));
  const Window after = WindowAt(zone, CalendarUnit::kDay, At("2024-06-02T12:00:00Z"));
  EXPECT_EQ(before.end, after.start);
  EXPECT_EQ(after, (Window{At("2024-06-02T12:00:00Z"), At("2024-06-03T12:00:00Z")}));
}

TEST(CalendarTest, AnOffsetHoldsFromItsChangeOn) {
  const Zone zone{"test", 10, {{100, 20}, {200, 30}}};
  EXPECT_EQ(zone.OffsetAt(99), 10);
  EXPECT_EQ(zone.OffsetAt(100), 20);
  EXPECT_EQ(zone.OffsetAt(199), 20);
  EXPECT_EQ(zone.OffsetAt(200), 30);
}

// The label of a window, worked out with nothing but days and hours.
std::int64_t LabelOf(CalendarUnit unit, std::int64_t local) {
  const std::chrono::sys_seconds shown{seconds{local}};
  if (unit == CalendarUnit::kHour) {
    return floor<std::chrono::hours>(shown).time_since_epoch() / std::chrono::hours{1};
  }
  const std::chrono::sys_days day = floor<days>(shown);
  if (unit == CalendarUnit::kDay) return day.time_since_epoch().count();
  if (unit == CalendarUnit::kWeek) {  // 1970-01-05 was a Monday
    return floor<std::chrono::weeks>(day - days{4}).time_since_epoch().count();
  }
  const std::chrono::year_month_day date{day};
  const int year = static_cast<int>(date.year());
  if (unit == CalendarUnit::kYear) return year;
  return year * 12 + static_cast<int>(static_cast<unsigned>(date.month()));
}

// Walks over time step by step, keeping the latest local time shown, and checks WindowAt wherever
// the label of that changes.
class Walk {
 public:
  Walk(const Zone& zone, CalendarUnit unit) : zone_(zone), unit_(unit) {}

  int Around(std::int64_t change, std::int64_t reach, std::int64_t step) {
    int boundaries = 0;
    std::int64_t latest = Local(change - reach - 1);
    std::int64_t label = LabelOf(unit_, latest);
    for (std::int64_t at = change - reach; at <= change + reach; at += step) {
      // The last second before a change may be the latest one shown.
      latest = std::max({latest, Local(at - 1), Local(at)});
      const std::int64_t now_label = LabelOf(unit_, latest);
      if (now_label == label) {
        // What a clock shows again is where windows go wrong.
        if (at >= change && at < change + kTwoHours && at % 900 == 0)
          CheckInside(Time{seconds{at}});
        continue;
      }
      label = now_label;
      ++boundaries;
      Check(Time{seconds{at}});
    }
    return boundaries;
  }

 private:
  static constexpr std::int64_t kTwoHours = 7200;

  void CheckInside(Time at) {
    if (last_ == Time{}) return;
    EXPECT_EQ(WindowAt(zone_, unit_, at).start, last_) << zone_.name;
  }

  void Check(Time boundary) {
    const Window window = WindowAt(zone_, unit_, boundary);
    const Window before = WindowAt(zone_, unit_, boundary - Nanos{1});
    EXPECT_EQ(window.start, boundary) << zone_.name;
    EXPECT_EQ(before.end, boundary) << zone_.name;
    if (last_ != Time{}) {
      EXPECT_EQ(before.start, last_) << zone_.name;
    }
    last_ = boundary;
  }

  // A linear search that remembers its place, so that no code is shared with what is tested.
  std::int64_t Local(std::int64_t utc) {
    while (place_ > 0 && zone_.changes[place_ - 1].from > utc) --place_;
    while (place_ < zone_.changes.size() && zone_.changes[place_].from <= utc) ++place_;
    return utc + (place_ == 0 ? zone_.first_offset : zone_.changes[place_ - 1].offset);
  }

  const Zone& zone_;
  CalendarUnit unit_;
  std::size_t place_ = 0;
  Time last_{};
};

std::vector<Zone> EveryZone() {
  std::vector<Zone> zones;
  std::set<std::string> seen;
  for (const auto& file : std::filesystem::recursive_directory_iterator(kZoneDirectory)) {
    const std::string name = std::filesystem::relative(file.path(), kZoneDirectory).string();
    if (!file.is_regular_file() || name.starts_with("right/") || name.starts_with("posix/")) {
      continue;
    }
    const std::string bytes = ReadZoneBytes(name);
    if (!bytes.starts_with("TZif") || !seen.insert(bytes).second) continue;
    Result<Zone> zone = ParseTzif(name, bytes);
    EXPECT_TRUE(zone.ok()) << name;
    if (zone.ok()) zones.push_back(std::move(zone).value());
  }
  return zones;
}

// Whether a walk in steps of `step` comes by every second at which something can happen.
bool FallsOn(const Zone& zone, std::size_t index, std::int64_t step) {
  const std::int64_t before = index == 0 ? zone.first_offset : zone.changes[index - 1].offset;
  const Zone::Change& change = zone.changes[index];
  return change.from % step == 0 && before % step == 0 && change.offset % step == 0;
}

// Steps to walk around a change in, and how far. Uneven offsets are the rare, early ones; only
// there is every second looked at.
struct Steps {
  std::int64_t reach = 27 * 3600;
  std::int64_t step = 900;
};

TEST(CalendarTest, WindowsAroundEveryChangeOfEveryZoneMatchAWalkThroughTime) {
  if (!HasZoneFiles()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  const std::int64_t first = SecondsAt("1910-01-01T00:00:00Z");
  const std::int64_t first_regular = SecondsAt("1995-01-01T00:00:00Z");
  const std::int64_t last = SecondsAt("2026-01-01T00:00:00Z");
  int boundaries = 0;
  for (const Zone& zone : EveryZone()) {
    for (std::size_t i = 0; i < zone.changes.size(); ++i) {
      const std::int64_t change = zone.changes[i].from;
      const bool regular = FallsOn(zone, i, 900);
      if (change < (regular ? first_regular : first) || change > last) continue;
      const Steps steps = regular ? Steps{} : Steps{3700, 1};
      for (const CalendarUnit unit : {CalendarUnit::kHour, CalendarUnit::kDay}) {
        boundaries += Walk(zone, unit).Around(change, steps.reach, steps.step);
      }
    }
  }
  EXPECT_GT(boundaries, 10'000);
}

TEST(CalendarTest, WeeksMonthsAndYearsMatchAWalkThroughTime) {
  if (!HasZoneFiles()) GTEST_SKIP() << "no zone files in " << kZoneDirectory;
  const std::int64_t middle = SecondsAt("2012-01-01T00:00:00Z");
  for (const char* name : {"Pacific/Apia", "Europe/Berlin", "America/Havana", "Asia/Beirut",
                           "Australia/Lord_Howe", "America/St_Johns"}) {
    const Zone zone = LoadZone(name);
    for (const CalendarUnit unit :
         {CalendarUnit::kWeek, CalendarUnit::kMonth, CalendarUnit::kYear}) {
      EXPECT_GT(Walk(zone, unit).Around(middle, std::int64_t{2} * 366 * 86400, 900), 2) << name;
    }
  }
}

}  // namespace
}  // namespace sluice
