#include "admin/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/json_string.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

// Formats a time in UTC: "2026-11-15T18:58:04.123Z".
std::string TimeText(Time time) {
  using std::chrono::floor;
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(floor<std::chrono::milliseconds>(time - day));
  std::array<char, 64> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
      static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
      static_cast<int>(clock.subseconds().count()));
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

void Log::Write(LogLevel level, std::string_view event, std::string_view text) {
  if (level < min_level()) return;
  const Time now = clock_.Now();
  const std::lock_guard lock(mutex_);
  if (!MayWrite(now)) return;
  if (left_out_ > 0) {
    WriteLine(now, LogLevel::kWarning, "log_lines_left_out",
              Concat(std::exchange(left_out_, 0), " lines were too many and left out"));
  }
  WriteLine(now, level, event, text);
}

void Log::WriteLine(Time now, LogLevel level, std::string_view event, std::string_view text) {
  MakeLine(now, level, event, text);
  // The length is known only after escaping, which may turn a byte into six; shorten until it fits.
  for (std::size_t size = text.size(); line_.size() > kMaxLineBytes;) {
    size -= size / 4 + 1;
    while (size > 0 && IsUtf8Continuation(text[size])) --size;
    MakeLine(now, level, event, Concat(text.substr(0, size), "..."));
  }
  // Drops the line if it cannot be written at once; there is nowhere to report that.
  pollfd ready{options_.descriptor, POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return;
  static_cast<void>(!write(options_.descriptor, line_.data(), line_.size()));
}

bool Log::MayWrite(Time now) {
  const std::int64_t second =
      std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  if (second != second_) {
    second_ = second;
    written_ = 0;
  }
  if (written_ < kMaxLines) {
    ++written_;
    return true;
  }
  ++left_out_;
  return false;
}

void Log::MakeLine(Time now, LogLevel level, std::string_view event, std::string_view text) {
  const std::string_view word = WordOf(level);
  if (options_.form == LogForm::kText) {
    line_ = Concat(TimeText(now), " ", word, " ", event, ": ", Printable(text), "\n");
    return;
  }
  line_ = Concat("{\"time\":\"", TimeText(now), "\",\"level\":\"", word, "\",\"event\":\"", event,
                 "\",\"text\":");
  AppendJsonString(text, line_);
  line_ += "}\n";
}

}  // namespace sluice
