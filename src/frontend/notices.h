// Notices: conditions that operators must hear of, without a log line per request.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/clock.h"

namespace sluice {

enum class Notice : std::uint8_t {
  kLiftIgnored,      // an RLS call brought a limit or negative hits without permission
  kLiftRefused,      // a reset or refund was refused
  kWrongCredential,  // a token or password was wrong
};
// The names of the log events and the values of the metric's label.
inline constexpr std::array<std::string_view, 3> kNoticeWords = {"lift_ignored", "lift_refused",
                                                                 "wrong_credential"};

// What is told of a kind: the text may name addresses, domains and keys.
enum class NoticeDetail : std::uint8_t { kCount, kText };

// Counts each kind and logs its first occurrence, then at most one per minute.
//
// Thread safety: any thread. Ownership: the clock outlives it.
class Notices {
 public:
  using Write = std::function<void(std::string_view event, std::string_view text)>;

  static constexpr Nanos kLogInterval = std::chrono::minutes{1};

  Notices(Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  ~Notices() = default;

  // Counts one occurrence. `describe` returns a sentence about it and is called only if that is to
  // be logged. It quotes what comes from outside.
  template <typename Describe>
  void Report(Notice kind, const Describe& describe) {
    if (Count(kind)) Log(kind, describe());
  }

  [[nodiscard]] std::uint64_t CountOf(Notice kind) const {
    return entries_[static_cast<std::size_t>(kind)].count.load(std::memory_order_relaxed);
  }

  // Appends a line for each kind that has occurred: "lift_ignored: 3 times; A sentence.\n", or
  // without the sentence.
  void AppendLines(NoticeDetail detail, std::string& out) const;

 private:
  struct Entry {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> next_log{INT64_MIN};  // as Time
    std::uint64_t logged = 0;                       // value of `count` in the last line
    std::string text;                               // of the last line
  };

  // Returns whether this occurrence is to be logged.
  bool Count(Notice kind);
  void Log(Notice kind, std::string text);

  Clock& clock_;
  Write write_;
  std::array<Entry, kNoticeWords.size()> entries_;
  mutable std::mutex mutex_;  // guards `logged` and `text` of entries_
};

}  // namespace sluice
