// AuditLog: a log line for each call that lifts limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/clock.h"

namespace sluice {

// At most kMaxLinesPerSecond lines are written per second, so that a proxy which brings a limit
// with every request does not fill the log. The next line reports how many were left out.
//
// Thread safety: any thread. Ownership: the clock outlives it.
class AuditLog {
 public:
  using Write = std::function<void(std::string_view text)>;

  static constexpr std::uint64_t kMaxLinesPerSecond = 20;

  AuditLog(Clock& clock, Write write) : clock_(clock), write_(std::move(write)) {}
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog() = default;

  // `describe` returns the text and is called only if it is written.
  template <typename Describe>
  void Add(const Describe& describe) {
    count_.fetch_add(1, std::memory_order_relaxed);
    if (MayWrite()) WriteLine(describe());
  }

  [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  bool MayWrite();
  void WriteLine(std::string text);

  Clock& clock_;
  Write write_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::int64_t> second_{0};
  std::atomic<std::uint64_t> written_{0};  // in the second `second_`
  std::atomic<std::uint64_t> left_out_{0};
};

}  // namespace sluice
