// FrontWarnings: callers that are set up wrongly, told to operators.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/clock.h"

namespace sluice {

enum class WarningCause : std::uint8_t {
  kUnknownDomain,   // a domain without rules was asked about; named by the domain
  kUntrustedProxy,  // headers that only proxies set came from elsewhere; named by the address
  kNoOriginal,      // forward auth was not told the original request; named by the address
};
// Names of events in the log, and of causes in metrics.
inline constexpr std::array<std::string_view, 3> kWarningCauseWords = {
    "unknown_domain", "untrusted_proxy", "no_original_request"};

constexpr std::string_view WordOf(WarningCause cause) {
  return kWarningCauseWords[static_cast<std::size_t>(cause)];
}

// Counts what callers do that only a wrong configuration explains, and that would otherwise let
// requests pass in silence.
//
// Thread safety: any thread. A caller that would have to wait for another only counts.
// Ownership: the clock outlives it.
//
// Invariants
//   (1) Each subject (a domain, an address) is logged when it is first seen, and then at most once
//   a
//       minute.
//   (2) At most kSubjectsMax subjects are known per cause, so that nobody can fill the log or the
//       memory by inventing them. A subject is forgotten kRemembered after it was last seen.
class FrontWarnings {
 public:
  static constexpr std::size_t kSubjectsMax = 8;
  static constexpr std::size_t kSubjectBytesMax = 128;
  static constexpr Nanos kLogInterval = std::chrono::minutes{1};
  static constexpr Nanos kRemembered = std::chrono::minutes{10};

  // A subject that was seen of late.
  struct Seen {
    WarningCause cause = WarningCause::kUnknownDomain;
    std::string subject;
    std::uint64_t calls = 0;
    Time last{};
    Time logged{};
  };
  // Called with what is to be logged, on the thread of the caller and under a lock.
  using LogFunction = std::function<void(WarningCause cause, const std::string& text)>;
  using Counts = std::array<std::uint64_t, kWarningCauseWords.size()>;

  FrontWarnings(Clock& clock, LogFunction log) : clock_(clock), log_(std::move(log)) {}
  FrontWarnings(const FrontWarnings&) = delete;
  FrontWarnings& operator=(const FrontWarnings&) = delete;
  ~FrontWarnings() = default;

  void Report(WarningCause cause, std::string_view subject);

  // Calls by cause, since the start.
  [[nodiscard]] Counts counts() const;
  // Subjects seen within kRemembered, by cause.
  [[nodiscard]] std::vector<Seen> Recent() const;

 private:
  // The entry of a subject, or null where there is no room for another. Under the mutex.
  Seen* Find(WarningCause cause, std::string_view subject, Time now);

  Clock& clock_;
  LogFunction log_;
  std::array<std::atomic<std::uint64_t>, kWarningCauseWords.size()> counts_{};
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
};

// What a warning means, for a log: "the domain 'apii' has no rules, ...".
std::string DescribeWarning(WarningCause cause, std::string_view subject);

}  // namespace sluice
