// RuleLoader: loads rule files, puts the rules in force and publishes the result as a RuleStatus.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/rules/read_rules.h"
#include "config/watch/reload_debouncer.h"
#include "config/watch/rule_status.h"
#include "core/limit/limit.h"
#include "rules/compile/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

// The callbacks of a RuleLoader, called from the thread that calls Load or SetWatchFault.
struct RuleCallbacks {
  std::function<Result<std::vector<RuleText>>()> read;
  ZoneSource zones;
  std::function<Result<Done>(std::shared_ptr<const RuleSet>)> use;  // puts rules in force
  std::function<void(const RuleEvent&)> report;                     // to the log
};

// Loads rules, either all files or none, and remembers the result.
//
// Thread safety: status() from any thread; everything else from one thread at a time. Ownership:
// the clock must outlive it.
//
// Invariants
//   (1) Rules that cannot be read, have errors or are refused by `use` change nothing but the
//       status.
//   (2) The files are a consistent snapshot: they are read until two consecutive reads agree.
//   (3) Rules that are in force already are not put in force again.
//   (4) A periodic check that finds the same state as before reports nothing.
//   (5) A rule set that is no longer in force is freed here, never by the thread that drops the
//       last other reference, because that thread has requests to decide.
class RuleLoader {
 public:
  RuleLoader(RuleCallbacks ports, Clock& clock)
      : ports_(std::move(ports)), clock_(clock), status_(std::make_shared<const RuleStatus>()) {}
  RuleLoader(const RuleLoader&) = delete;
  RuleLoader& operator=(const RuleLoader&) = delete;
  ~RuleLoader() = default;

  // Reads the files and puts them in force. A failure of kStart is not reported, because the caller
  // reads it from the status.
  LoadOutcome Load(ReloadCause cause);

  // Sets why changes may go unnoticed (empty: they do not). Reports a new reason together with what
  // is done `instead`.
  void SetWatchFault(const std::string& fault, std::string_view instead);

  [[nodiscard]] std::shared_ptr<const RuleStatus> status() const;

 private:
  // The rules that the last load could not put in force.
  struct Tried {
    RuleHash hash;
    bool has_errors;  // loading them again cannot succeed
  };

  Result<std::vector<RuleText>> ReadAgreeing() const;
  LoadOutcome Keep(ReloadCause cause);
  LoadOutcome Succeed(RulesInForce in_force);
  LoadOutcome Fail(ReloadCause cause, std::vector<std::string> problems);
  void FreeUnused();
  void Publish(RuleStatus status);

  RuleCallbacks ports_;
  Clock& clock_;
  std::optional<Tried> tried_;
  std::shared_ptr<const RuleSet> rules_;                 // the rules in force
  std::vector<std::shared_ptr<const RuleSet>> retired_;  // possibly still used by other threads

  mutable std::mutex status_mutex_;
  std::shared_ptr<const RuleStatus> status_;  // guarded by status_mutex_
};

}  // namespace sluice
