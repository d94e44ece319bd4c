// Log: what the program says while it runs.
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

#include "sluice/clock.h"

namespace sluice {

enum class LogImportance : std::uint8_t { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warning", "error".
std::string_view WordOf(LogImportance importance);
// The importance of that word; none where there is none.
std::optional<LogImportance> ImportanceOf(std::string_view word);

enum class LogForm : std::uint8_t {
  kText,  // 2026-11-15T18:58:04.123Z info rules_loaded: 3 files, 1 domain, 8 rules
  kJson,  // {"time":"...","level":"info","event":"rules_loaded","text":"..."}
};

// Writes lines to a descriptor, each with a time, an importance, the name of its event, which stays
// the same over versions, and words for people. Nothing of a request is ever logged raw.
//
// At most kLinesMost lines are written in a second; how many were left out is said in the next.
// A descriptor that takes nothing loses lines, and nothing waits for it: a line has at most
// kLineBytesMost bytes, which a pipe takes at once or not at all. What is longer ends in "...".
//
// Thread safety: any thread. Ownership: the clock outlives it; the descriptor is not its own.
class Log {
 public:
  static constexpr int kLinesMost = 100;
  static constexpr std::size_t kLineBytesMost = PIPE_BUF;

  struct Options {
    int descriptor = 2;
    LogForm form = LogForm::kText;
    LogImportance least = LogImportance::kInfo;  // at the start
  };

  Log(const Options& options, Clock& clock)
      : options_(options), least_(options.least), clock_(clock) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() = default;

  void Write(LogImportance importance, std::string_view event, std::string_view text);

  // What is less important is not written; from the next Write on, of any thread.
  void SetLeast(LogImportance least) { least_.store(least); }
  [[nodiscard]] LogImportance least() const { return least_.load(); }

 private:
  // Under the mutex.
  bool MayWrite(Time now);
  void WriteLine(Time now, LogImportance importance, std::string_view event, std::string_view text);
  void MakeLine(Time now, LogImportance importance, std::string_view event, std::string_view text);

  const Options options_;
  std::atomic<LogImportance> least_;
  Clock& clock_;
  std::mutex mutex_;
  std::string line_;
  std::int64_t second_ = 0;
  int written_ = 0;  // in that second
  std::int64_t left_out_ = 0;
};

}  // namespace sluice
