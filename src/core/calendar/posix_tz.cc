#include "core/calendar/posix_tz.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::int32_t kHour = 3600;
constexpr int kMaxOffsetHours = 24;
constexpr int kMaxTimeHours = 167;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads a rule from front to back. Each Read function returns nothing, or false, if the text does
// not match.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  std::optional<PosixRule> ReadRule() {
    PosixRule rule;
    if (!SkipName() || !ReadOffset(rule.offset)) return std::nullopt;
    if (rest_.empty()) return rule;
    SummerTime summer;
    summer.offset = rule.offset + kHour;
    if (!SkipName()) return std::nullopt;
    if (!rest_.starts_with(',') && !ReadOffset(summer.offset)) return std::nullopt;
    if (!ReadChange(summer.begins) || !ReadChange(summer.ends)) return std::nullopt;
    if (!rest_.empty()) return std::nullopt;
    rule.summer = summer;
    return rule;
  }

 private:
  bool SkipIf(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Skips a zone name: at least three letters or, between < and >, letters, digits, + and -.
  bool SkipName() {
    const bool quoted = SkipIf('<');
    const auto is_part = [quoted](char c) {
      return IsLetter(c) || (quoted && (IsDigit(c) || c == '+' || c == '-'));
    };
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), is_part);
    const auto size = static_cast<std::size_t>(end - rest_.begin());
    rest_.remove_prefix(size);
    return size >= 3 && (!quoted || SkipIf('>'));
  }

  // Reads one to three digits.
  bool ReadNumber(int& out) {
    std::size_t size = 0;
    int value = 0;
    while (size < rest_.size() && size < 3 && IsDigit(rest_[size])) {
      value = value * 10 + (rest_[size] - '0');
      ++size;
    }
    rest_.remove_prefix(size);
    out = value;
    return size > 0;
  }

  bool ReadNumberUpTo(int max, int& out) { return ReadNumber(out) && out <= max; }

  // Reads [+-]hh[:mm[:ss]] as seconds.
  bool ReadTime(int max_hours, std::int32_t& out) {
    const bool negative = SkipIf('-');
    if (!negative) SkipIf('+');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!ReadNumberUpTo(max_hours, hours)) return false;
    if (SkipIf(':') && !ReadNumberUpTo(59, minutes)) return false;
    if (SkipIf(':') && !ReadNumberUpTo(59, seconds)) return false;
    const std::int32_t length = hours * kHour + minutes * 60 + seconds;
    out = negative ? -length : length;
    return true;
  }

  bool ReadOffset(std::int32_t& out) {
    std::int32_t west = 0;
    if (!ReadTime(kMaxOffsetHours, west)) return false;
    out = -west;
    return true;
  }

  // Reads ,date[/time].
  bool ReadChange(YearlyChange& out) {
    if (!SkipIf(',') || !ReadDate(out)) return false;
    return !SkipIf('/') || ReadTime(kMaxTimeHours, out.time);
  }

  bool ReadDate(YearlyChange& out) {
    if (SkipIf('M')) return ReadMonthWeekDay(out);
    const bool without_leap = SkipIf('J');
    out.kind =
        without_leap ? YearlyChange::Kind::kDayWithoutLeap : YearlyChange::Kind::kDayCountingLeap;
    return ReadNumberUpTo(365, out.day) && (!without_leap || out.day > 0);
  }

  bool ReadMonthWeekDay(YearlyChange& out) {
    int month = 0;
    int week = 0;
    int weekday = 0;
    if (!ReadNumberUpTo(12, month) || !SkipIf('.')) return false;
    if (!ReadNumberUpTo(5, week) || !SkipIf('.')) return false;
    if (!ReadNumberUpTo(6, weekday) || month == 0 || week == 0) return false;
    out.kind = YearlyChange::Kind::kMonthWeekDay;
    out.month = static_cast<unsigned>(month);
    out.week = static_cast<unsigned>(week);
    out.weekday = static_cast<unsigned>(weekday);
    return true;
  }

  std::string_view rest_;
};

std::chrono::sys_days DayIn(const YearlyChange& change, std::chrono::year year) {
  const std::chrono::sys_days new_year = year / std::chrono::January / 1;
  const std::chrono::month month{change.month};
  const std::chrono::weekday weekday{change.weekday};
  switch (change.kind) {
    case YearlyChange::Kind::kMonthWeekDay:
      if (change.week == 5) return year / month / weekday[std::chrono::last];
      return year / month / weekday[change.week];
    case YearlyChange::Kind::kDayWithoutLeap: {
      constexpr int kFirstOfMarch = 60;
      const int leap = year.is_leap() && change.day >= kFirstOfMarch ? 1 : 0;
      return new_year + std::chrono::days{change.day - 1 + leap};
    }
    case YearlyChange::Kind::kDayCountingLeap:
      break;
  }
  return new_year + std::chrono::days{change.day};
}

}  // namespace

std::int64_t YearlyChange::LocalSecondsIn(std::chrono::year year) const {
  const std::chrono::sys_seconds midnight = DayIn(*this, year);
  return midnight.time_since_epoch().count() + time;
}

std::vector<Zone::Change> PosixRule::ChangesIn(std::chrono::year first,
                                               std::chrono::year last) const {
  std::vector<Zone::Change> changes;
  if (!summer) return changes;
  for (std::chrono::year year = first; year <= last; ++year) {
    // Summer time all year round ends at the instant at which the next one begins. The end is added
    // first, so that after the stable sort the beginning comes later and takes effect.
    changes.push_back({summer->ends.LocalSecondsIn(year) - summer->offset, offset});
    changes.push_back({summer->begins.LocalSecondsIn(year) - offset, summer->offset});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Zone::Change& a, const Zone::Change& b) { return a.from < b.from; });
  return changes;
}

std::optional<PosixRule> ParsePosixRule(std::string_view text) {
  return RuleReader(text).ReadRule();
}

}  // namespace sluice
