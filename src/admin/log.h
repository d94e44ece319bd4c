// Log: writes the program's log lines.
#pragma once

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_level.h"
#include "sluice/clock.h"

namespace sluice {

enum class LogForm : std::uint8_t {
  kText,  // 2026-11-15T18:58:04.123Z info rules_loaded: 3 files, 1 domain, 8 rules
  kJson,  // {"time":"...","level":"info","event":"rules_loaded","text":"..."}
};

// Writes lines to a descriptor. Each has a time, a level, the name of its event, which stays the
// same across versions, and text for people. No data of a request is logged unescaped.
//
// Writes at most kMaxLines lines per second; the next line written after that reports how many were
// dropped. Never blocks: if the descriptor accepts no data, lines are lost. A line has at most
// kMaxLineBytes bytes, which a pipe takes completely or not at all; a longer text is cut and ends
// in "...".
//
// Thread safety: any thread. Ownership: the clock must outlive it; the descriptor is not owned.
class Log {
 public:
  static constexpr int kMaxLines = 100;
  static constexpr std::size_t kMaxLineBytes = PIPE_BUF;

  struct Options {
    int descriptor = 2;
    LogForm form = LogForm::kText;
    LogLevel min_level = LogLevel::kInfo;  // initial level
  };

  Log(const Options& options, Clock& clock)
      : options_(options), min_level_(options.min_level), clock_(clock) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() = default;

  void Write(LogLevel level, std::string_view event, std::string_view text);

  // Suppresses lines below this level, in all threads, from the next Write on.
  void SetMinLevel(LogLevel min_level) { min_level_.store(min_level); }
  [[nodiscard]] LogLevel min_level() const { return min_level_.load(); }

 private:
  // REQUIRES: mutex_ is held, for all three.
  bool MayWrite(Time now);
  void WriteLine(Time now, LogLevel level, std::string_view event, std::string_view text);
  void MakeLine(Time now, LogLevel level, std::string_view event, std::string_view text);

  const Options options_;
  std::atomic<LogLevel> min_level_;
  Clock& clock_;
  std::mutex mutex_;
  std::string line_;
  std::int64_t second_ = 0;
  int written_ = 0;  // in second_
  std::int64_t left_out_ = 0;
};

}  // namespace sluice
