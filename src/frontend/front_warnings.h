// FrontWarnings: reports conditions that operators must know of, without a log line per request.
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
#include <vector>

#include "sluice/clock.h"

namespace sluice {

// Each warning is about a subject: the address of the peer, unless noted otherwise.
enum class WarningCause : std::uint8_t {
  kUnknownDomain,    // a request for a domain without rules; the subject is the domain
  kUntrustedProxy,   // proxy headers from a peer that is not a trusted proxy
  kNoOriginal,       // forward auth did not get the original request
  kLiftIgnored,      // an RLS call brought a limit or negative hits without permission
  kLiftRefused,      // a reset or refund was refused
  kWrongCredential,  // a token or password was wrong
  kBadCost,          // an RLS call has a cost that is no number; the subject is the rule
  kRlsRefused,       // an RLS call was too large to be decided, and was refused
  kRlsError,         // an RLS call was answered with an error, which a proxy may treat as "pass"
};
// Names of events in the log, and of causes in metrics.
inline constexpr std::array<std::string_view, 9> kWarningCauseWords = {
    "unknown_domain",   "untrusted_proxy", "no_original_request", "lift_ignored",   "lift_refused",
    "wrong_credential", "bad_cost",        "rls_call_refused",    "rls_call_failed"};

constexpr std::string_view WordOf(WarningCause cause) {
  return kWarningCauseWords[static_cast<std::size_t>(cause)];
}

// Counts calls that show a wrong configuration or lack permission, and logs some of them.
//
// Thread safety: any thread. A caller that would have to wait for the lock only counts.
// Ownership: the clock outlives it.
//
// Invariants
//   (1) Each subject is logged when it is first seen, and then at most once per minute.
//   (2) At most kMaxSubjects subjects are known per cause, so that clients cannot fill the log or
//       the memory by inventing them. Further ones share one entry with an empty subject, and thus
//       one line per minute. A subject is forgotten kRemembered after it was last seen.
class FrontWarnings {
 public:
  static constexpr std::size_t kMaxSubjects = 8;
  static constexpr std::size_t kMaxSubjectBytes = 128;
  static constexpr Nanos kLogInterval = std::chrono::minutes{1};
  static constexpr Nanos kRemembered = std::chrono::minutes{10};

  // A subject that was seen recently.
  struct Seen {
    WarningCause cause = WarningCause::kUnknownDomain;
    std::string subject;  // empty: all subjects beyond kMaxSubjects
    std::uint64_t calls = 0;
    std::uint64_t logged_calls = 0;  // value of `calls` in the last line
    Time last{};
    Time logged{};
  };
  // Called on the thread of the caller, under a lock.
  using LogFunction = std::function<void(WarningCause cause, const std::string& text)>;
  using Counts = std::array<std::uint64_t, kWarningCauseWords.size()>;

  FrontWarnings(Clock& clock, LogFunction log) : clock_(clock), log_(std::move(log)) {}
  FrontWarnings(const FrontWarnings&) = delete;
  FrontWarnings& operator=(const FrontWarnings&) = delete;
  ~FrontWarnings() = default;

  // `describe` returns a clause about the call, and is called only if the call is logged. It must
  // quote input from outside.
  // REQUIRES: the subject is not empty.
  template <typename Describe>
  void Report(WarningCause cause, std::string_view subject, const Describe& describe) {
    counts_[static_cast<std::size_t>(cause)].fetch_add(1, std::memory_order_relaxed);
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    Seen& seen = Count(cause, subject.substr(0, kMaxSubjectBytes));
    if (IsToBeLogged(seen)) Log(seen, describe());
  }

  // Returns the calls by cause, since the start.
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] std::uint64_t CountOf(WarningCause cause) const {
    return counts_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
  }
  // Returns the subjects seen within kRemembered, ordered by cause.
  [[nodiscard]] std::vector<Seen> Recent() const;

 private:
  // All of these require the mutex.
  Seen& Count(WarningCause cause, std::string_view subject);
  Seen& FindOrAdd(WarningCause cause, std::string_view subject, Time now);
  Seen* Find(WarningCause cause, std::string_view subject);
  static bool IsToBeLogged(const Seen& seen);
  void Log(Seen& seen, std::string text);

  Clock& clock_;
  LogFunction log_;
  std::array<std::atomic<std::uint64_t>, kWarningCauseWords.size()> counts_{};
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
};

// REQUIRES: the domain is not empty.
void ReportUnknownDomain(std::string_view domain, FrontWarnings& warnings);
// REQUIRES: the names are not empty.
void ReportBadCost(std::string_view rule, std::string_view attribute, FrontWarnings& warnings);

}  // namespace sluice
