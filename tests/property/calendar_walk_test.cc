// Compares calendar windows with a walk through time, second by second around offset changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/calendar/calendar.h"
#include "core/calendar/tzif.h"
#include "unit/core/calendar/zone_files.h"

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::seconds;

// Returns a number that identifies the window of a local time, from days and hours only.
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

// Walks through time step by step, keeps the latest local time shown, and checks WindowAt whenever
// the label of that time changes.
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
        // Windows are most likely wrong while a clock repeats a stretch of time.
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

  // A linear search that starts at the last position and shares no code with the tested one.
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

// Returns whether a walk in steps of `step` visits every second at which something can happen.
bool FallsOn(const Zone& zone, std::size_t index, std::int64_t step) {
  const std::int64_t before = index == 0 ? zone.first_offset : zone.changes[index - 1].offset;
  const Zone::Change& change = zone.changes[index];
  return change.from % step == 0 && before % step == 0 && change.offset % step == 0;
}

// The step of a walk around a change, and its reach on either side. Uneven offsets are rare and
// early; only around those does the walk visit every second.
struct Steps {
  std::int64_t reach = 27 * 3600;
  std::int64_t step = 900;
};

TEST(CalendarWalkTest, MatchesWalkAroundEveryChangeOfEveryZone) {
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

TEST(CalendarWalkTest, MatchesWalkForWeeksMonthsAndYears) {
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
