// RuleLoader: rule files in, rules in force out, and what is known about both.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/read_rules.h"
#include "config/rule_status.h"
#include "config/settle.h"
#include "core/limit.h"
#include "rules/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

// What a loader works with.
struct RulePorts {
  std::function<Result<std::vector<RuleText>>()> read;
  ZoneSource zones;
  std::function<Result<Done>(std::shared_ptr<const RuleSet>)> use;  // puts rules in force, or not
  std::function<void(const RuleEvent&)> report;                     // for the log
};

// Loads rules, all files or none, and remembers what came of it.
//
// Thread safety: status() from any thread; the rest from one thread at a time. Ownership: the clock
// outlives it.
//
// Invariants
//   (1) Rules that cannot be read, have errors or are refused by `use` change nothing but the
//       status.
//   (2) Files are taken as they stood at one time: they are read until two readings agree.
//   (3) Rules that are in force are not put in force again.
//   (4) A look that finds what was found before reports nothing.
//   (5) A rule set that is no longer in force is freed here, never by the thread that lets go of
//       it last: that one has requests to decide.
class RuleLoader {
 public:
  RuleLoader(RulePorts ports, Clock& clock)
      : ports_(std::move(ports)), clock_(clock), status_(std::make_shared<const RuleStatus>()) {}
  RuleLoader(const RuleLoader&) = delete;
  RuleLoader& operator=(const RuleLoader&) = delete;
  ~RuleLoader() = default;

  // A failure of kStart is not reported: the caller has it from the status.
  LoadOutcome Load(ReloadCause cause);

  // Notes why changes may go unnoticed (empty: they do not), and reports a new reason together with
  // what is done `instead`.
  void SetWatchFault(const std::string& fault, std::string_view instead);

  [[nodiscard]] std::shared_ptr<const RuleStatus> status() const;

 private:
  // Texts that could not be loaded.
  struct Tried {
    RuleHash hash;
    bool has_errors;  // it does not help to try them again
  };

  Result<std::vector<RuleText>> ReadAgreeing() const;
  LoadOutcome Keep(ReloadCause cause);
  LoadOutcome Succeed(RulesInForce in_force);
  LoadOutcome Fail(ReloadCause cause, std::vector<std::string> problems);
  void FreeUnused();
  void Publish(RuleStatus status);

  RulePorts ports_;
  Clock& clock_;
  std::optional<Tried> tried_;
  std::shared_ptr<const RuleSet> rules_;                 // in force
  std::vector<std::shared_ptr<const RuleSet>> retired_;  // others may still use them

  mutable std::mutex status_mutex_;
  std::shared_ptr<const RuleStatus> status_;  // under status_mutex_
};

}  // namespace sluice
