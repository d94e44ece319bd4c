// StoreStatus: whether the remote store answers, and what is logged about it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "admin/log.h"
#include "redis/redis_server_observer.h"
#include "sluice/time.h"

namespace sluice::cli {

// Counters of the requests to a store since the start. Plain data.
struct StoreActivity {
  std::uint64_t answered = 0;         // requests that the store answered
  std::uint64_t failed = 0;           // requests that were decided without the store
  std::uint64_t probes_answered = 0;  // commands sent without a request
  std::uint64_t probes_failed = 0;
};

// Decides what to log about the store. The workers report the state of servers, and one thread
// calls Check every second, which returns the line to log, if there is one.
//
// Thread safety: Check from one thread at a time, everything else from any thread. OnFailure never
// waits: a report that comes at the same time as another one is dropped.
//
// Invariants
//   (1) A failing store is logged with its last cause, when that begins and then once per minute.
//   (2) An answering store is logged the first time and after each logged failure, but only after
//       kSteady without a failure, so that an unstable store does not fill the log.
//   (3) A failure without a cause is logged only if it lasts for kGrace. Requests may fail before
//       the first connection is open, or because of a caller's short deadline, although nothing is
//       wrong with the store.
class StoreStatus final : public RedisServerObserver {
 public:
  static constexpr Nanos kLogInterval = std::chrono::minutes{1};
  static constexpr Nanos kSteady = std::chrono::seconds{5};
  static constexpr Nanos kGrace = std::chrono::seconds{3};

  enum class State : std::uint8_t {
    kStarting,   // no answer and no failure yet
    kAnswering,  // all requests are answered
    kFailing,    // requests are decided without the store
  };

  struct LogLine {
    LogLevel level = LogLevel::kInfo;
    std::string_view event;
    std::string text;
  };

  // `servers` lists the expected servers: "10.0.0.7:6379, 10.0.0.8:6379".
  explicit StoreStatus(std::string servers) : servers_(std::move(servers)) {}

  void OnConnected(std::string_view server) override;
  void OnFailure(RedisServerRole role, std::string_view server, std::string_view cause) override;

  [[nodiscard]] std::optional<LogLine> Check(Time now, const StoreActivity& activity);

  // Returns "answering", or "failing: CAUSE". Omits the cause, which contains names of servers, if
  // `names_servers` is false.
  [[nodiscard]] std::string Describe(bool names_servers) const;

 private:
  // The last failure of the servers with one role.
  struct Failure {
    std::string server;
    std::string cause;
    std::uint64_t check = 0;  // number of the Check that follows it; 0: no failure
  };

  void RecordTrouble(Time now, std::uint64_t check);
  // REQUIRES: mutex_ is held, for the following four methods.
  // Returns null unless a server has reported a cause for the current failure.
  [[nodiscard]] const Failure* FindFailure() const;
  [[nodiscard]] std::string CauseText() const;
  std::optional<LogLine> Fail(Time now);
  std::optional<LogLine> Recover(Time now);

  const std::string servers_;
  mutable std::mutex mutex_;
  State state_ = State::kStarting;
  Failure store_failure_;
  Failure sentinel_failure_;
  std::string server_;               // the server that reported last; empty: none
  std::uint64_t check_ = 1;          // number of the next Check
  std::uint64_t trouble_check_ = 0;  // number of the Check that first saw the failure; 0: none
  Time trouble_began_{};
  Time trouble_seen_{};
  Time logged_{};
  StoreActivity seen_;
};

}  // namespace sluice::cli
