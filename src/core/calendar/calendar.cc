#include "core/calendar/calendar.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace sluice {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::months;
using std::chrono::seconds;
using std::chrono::year_month_day;

constexpr std::int64_t kEndOfTime = std::numeric_limits<std::int64_t>::max();

// The pieces of time with one offset, [from, until) in seconds since 1970. Piece 0 ends with the
// first change; piece i begins with changes[i - 1].
class Pieces {
 public:
  explicit Pieces(const Zone& zone) : zone_(zone) {}

  [[nodiscard]] std::size_t IndexAt(std::int64_t utc_seconds) const {
    const auto after = std::upper_bound(
        zone_.changes.begin(), zone_.changes.end(), utc_seconds,
        [](std::int64_t at, const Zone::Change& change) { return at < change.from; });
    return static_cast<std::size_t>(after - zone_.changes.begin());
  }

  [[nodiscard]] std::size_t Count() const { return zone_.changes.size() + 1; }

  [[nodiscard]] std::int64_t From(std::size_t index) const {
    return index == 0 ? -kEndOfTime : zone_.changes[index - 1].from;
  }

  [[nodiscard]] std::int64_t Until(std::size_t index) const {
    return index == zone_.changes.size() ? kEndOfTime : zone_.changes[index].from;
  }

  [[nodiscard]] std::int64_t Offset(std::size_t index) const {
    return index == 0 ? zone_.first_offset : zone_.changes[index - 1].offset;
  }

 private:
  const Zone& zone_;
};

// Returns the latest second that the zone's clock has shown up to and at `utc`. It differs from
// what the clock shows at `utc` only for a while after the clock was set back.
local_seconds LatestShown(const Pieces& pieces, std::int64_t utc) {
  std::size_t index = pieces.IndexAt(utc);
  std::int64_t latest = utc + pieces.Offset(index);
  // A piece that ended before this showed no later time than the clock shows now under any offset.
  const std::int64_t out_of_reach = utc - 2 * kMaxZoneOffset;
  while (index > 0 && pieces.From(index) > out_of_reach) {
    --index;
    latest = std::max(latest, pieces.Until(index) - 1 + pieces.Offset(index));
  }
  return local_seconds{seconds{latest}};
}

// Returns the first instant at which local time is at or past `label`.
std::int64_t FirstReached(const Pieces& pieces, local_seconds label) {
  const std::int64_t wanted = label.time_since_epoch().count();
  std::size_t index = pieces.IndexAt(wanted - kMaxZoneOffset);
  for (; index + 1 < pieces.Count(); ++index) {
    if (wanted - pieces.Offset(index) < pieces.Until(index)) break;
  }
  return std::max(pieces.From(index), wanted - pieces.Offset(index));
}

// The local times at which a window and the next one begin.
struct Labels {
  local_seconds first;
  local_seconds next;
};

Labels MonthLabels(local_days day, months step) {
  const year_month_day date{day};
  const std::chrono::month first_month = step == months{12} ? std::chrono::January : date.month();
  const year_month_day first{date.year(), first_month, std::chrono::day{1}};
  return {local_days{first}, local_days{first + step}};
}

Labels LabelsAt(CalendarUnit unit, local_seconds shown) {
  const local_days day = floor<days>(shown);
  switch (unit) {
    case CalendarUnit::kHour: {
      const auto hour = floor<std::chrono::hours>(shown);
      return {hour, hour + std::chrono::hours{1}};
    }
    case CalendarUnit::kDay:
      return {day, day + days{1}};
    case CalendarUnit::kWeek: {
      const local_days monday = day - (std::chrono::weekday{day} - std::chrono::Monday);
      return {monday, monday + days{7}};
    }
    case CalendarUnit::kMonth:
      return MonthLabels(day, months{1});
    case CalendarUnit::kYear:
      break;
  }
  return MonthLabels(day, months{12});
}

}  // namespace

Window WindowAt(const Zone& zone, CalendarUnit unit, Time now) {
  const Pieces pieces(zone);
  const std::int64_t utc = floor<seconds>(now).time_since_epoch().count();
  const Labels labels = LabelsAt(unit, LatestShown(pieces, utc));
  return {Time{seconds{FirstReached(pieces, labels.first)}},
          Time{seconds{FirstReached(pieces, labels.next)}}};
}

}  // namespace sluice
