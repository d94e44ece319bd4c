// StoreStatus: whether the remote store answers, and what the log says of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "admin/log.h"
#include "remote/redis_server_observer.h"
#include "sluice/time.h"

namespace sluice::cli {

// What a store was asked since the start. A value.
struct StoreActivity {
  std::uint64_t answered = 0;         // requests
  std::uint64_t failed = 0;           // requests that were decided without it
  std::uint64_t probes_answered = 0;  // commands that are sent though nobody asks for anything
  std::uint64_t probes_failed = 0;
};

// Decides what to log about the store. The workers report what servers do, and one thread calls
// Check every second, which returns the line to log, if there is one.
//
// Thread safety: Check from one thread at a time, everything else from any thread. OnFailure does
// not wait: a report that meets another one is dropped.
//
// Invariants
//   (1) A store that fails is logged with the last cause when that begins, then once per minute.
//   (2) A store that answers is logged the first time and after each failure that was logged, but
//       only after kSteady without a failure: a store that comes and goes does not fill the log.
//   (3) A failure without a cause is logged only if it lasts for kGrace: until the first connection
//       is open, and if single callers wait for less than usual, nothing is wrong with the store.
class StoreStatus final : public RedisServerObserver {
 public:
  static constexpr Nanos kLogInterval = std::chrono::minutes{1};
  static constexpr Nanos kSteady = std::chrono::seconds{5};
  static constexpr Nanos kGrace = std::chrono::seconds{3};

  enum class State : std::uint8_t {
    kStarting,   // nothing is known yet
    kAnswering,  // it answers all that it is asked
    kFailing,    // requests are decided without it
  };

  struct LogLine {
    LogImportance importance = LogImportance::kInfo;
    std::string_view event;
    std::string text;
  };

  // `servers` says where the store is expected: "10.0.0.7:6379, 10.0.0.8:6379".
  explicit StoreStatus(std::string servers) : servers_(std::move(servers)) {}

  void OnConnected(std::string_view server) override;
  void OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) override;

  [[nodiscard]] std::optional<LogLine> Check(Time now, const StoreActivity& activity);

  // "answering", or "failing: CAUSE". The cause, which names servers, is left out if
  // `names_servers` is false.
  [[nodiscard]] std::string Describe(bool names_servers) const;

 private:
  // The last failure of servers with one role.
  struct Failure {
    std::string server;
    std::string cause;
    std::uint64_t check = 0;  // the number of the Check that follows it; 0: there is none
  };

  // All under the mutex.
  // Null unless a server has reported why there is trouble.
  [[nodiscard]] const Failure* FindFailure() const;
  [[nodiscard]] std::string CauseText() const;
  std::optional<LogLine> Fail(Time now);
  std::optional<LogLine> Recover(Time now);

  const std::string servers_;
  mutable std::mutex mutex_;
  State state_ = State::kStarting;
  Failure store_failure_;
  Failure sentinel_failure_;
  std::string server_;               // that reported last; empty: none has
  std::uint64_t check_ = 1;          // the number of the next Check
  std::uint64_t trouble_check_ = 0;  // the Check that saw trouble begin; 0: there is none
  Time trouble_began_{};
  Time trouble_seen_{};
  Time logged_{};
  StoreActivity seen_;
};

}  // namespace sluice::cli
