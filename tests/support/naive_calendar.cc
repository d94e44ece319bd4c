#include "support/naive_calendar.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>

namespace sluice::testing {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

std::int64_t FloorOf(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Returns the local time in seconds since 1970.
std::int64_t ReadingAt(const Zone& zone, std::int64_t seconds) {
  std::int64_t offset = zone.first_offset;
  for (const Zone::Change& change : zone.changes) {
    if (change.from <= seconds) offset = change.offset;
  }
  return seconds + offset;
}

// Returns the latest reading so far. Readings grow between changes, so it is either the current one
// or one just before a change. No offset is above 26 hours, so changes more than three days ago do
// not matter.
std::int64_t LatestReading(const Zone& zone, std::int64_t seconds) {
  std::int64_t latest = ReadingAt(zone, seconds);
  for (const Zone::Change& change : zone.changes) {
    if (change.from > seconds || change.from < seconds - 3 * kDaySeconds) continue;
    latest = std::max(latest, ReadingAt(zone, change.from - 1));
  }
  return latest;
}

std::int32_t LibcOffset(std::int64_t seconds) {
  const auto when = static_cast<std::time_t>(seconds);
  std::tm local{};
  localtime_r(&when, &local);
  return static_cast<std::int32_t>(local.tm_gmtoff);
}

// Looks at the clock once per day and narrows each change down to its second.
std::shared_ptr<const Zone> ScanZone(const std::string& name) {
  setenv("TZ", (":" + name).c_str(), 1);
  tzset();
  auto zone = std::make_shared<Zone>();
  zone->name = name;
  const std::int64_t end = kLatestTime.time_since_epoch().count() / 1'000'000'000 + kDaySeconds;
  std::int64_t day = -400 * kDaySeconds;
  zone->first_offset = LibcOffset(day);
  std::int32_t old_offset = zone->first_offset;
  for (; day < end; day += kDaySeconds) {
    if (LibcOffset(day + kDaySeconds) == old_offset) continue;
    std::int64_t before = day;
    std::int64_t after = day + kDaySeconds;
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (LibcOffset(middle) == old_offset ? before : after) = middle;
    }
    old_offset = LibcOffset(after);
    zone->changes.push_back({after, old_offset});
  }
  unsetenv("TZ");
  tzset();
  return zone;
}

}  // namespace

std::int64_t CalendarIndex(const Zone& zone, CalendarUnit unit, std::int64_t seconds) {
  const std::int64_t reading = LatestReading(zone, seconds);
  const std::int64_t day = FloorOf(reading, kDaySeconds);
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(day)}}};
  const std::int64_t year = static_cast<int>(date.year());
  switch (unit) {
    case CalendarUnit::kHour:
      return FloorOf(reading, 3600);
    case CalendarUnit::kDay:
      return day;
    case CalendarUnit::kWeek:
      return FloorOf(day + 3, 7);  // 1 January 1970 was a Thursday
    case CalendarUnit::kMonth:
      return year * 12 + static_cast<std::int64_t>(static_cast<unsigned>(date.month())) - 1;
    case CalendarUnit::kYear:
      return year;
  }
  return 0;
}

std::shared_ptr<const Zone> LibcZone(const std::string& name) {
  static std::map<std::string, std::shared_ptr<const Zone>> zones;
  std::shared_ptr<const Zone>& zone = zones[name];
  if (zone == nullptr) zone = ScanZone(name);
  return zone;
}

}  // namespace sluice::testing
