// LiveRules: rules that follow their files while the program runs.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/descriptor.h"
#include "config/directory_watch.h"
#include "config/rule_loader.h"
#include "config/rule_status.h"
#include "config/settle.h"
#include "core/limit.h"
#include "rules/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

struct LiveRulesOptions {
  std::vector<std::string> paths;  // files, and directories of files
  ZoneSource zones;
  std::function<Result<Done>(std::shared_ptr<const RuleSet>)> use;  // Gate::Use
  std::function<void(const RuleEvent&)> report;                     // for the log
  SettleTimes settle;
  // How often the files are read in case of a change that the watch did not see: one made by
  // another machine on a network file system, a directory mounted over.
  Nanos look_every{std::int64_t{60} * 1'000'000'000};
  // The same where they cannot be watched.
  Nanos look_every_unwatched{std::int64_t{5} * 1'000'000'000};
};

// Loads rules and puts them in force again whenever their files change or somebody asks. Everything
// happens on the one thread that calls Run; those that decide never wait for it.
//
// Thread safety: RequestReload, Stop and status from any thread; Load before Run; Run from one
// thread. Ownership: the clock and what `use` and `report` refer to outlive it.
//
// Invariants: those of RuleLoader and Settle, and
//   (1) A request to reload and one to stop are never lost, also those made before Run.
//   (2) A change between Load and Run is noticed.
class LiveRules {
 public:
  // Without a watch the files are read from time to time. An error only where the process has no
  // descriptor left.
  static Result<std::unique_ptr<LiveRules>> Create(LiveRulesOptions options,
                                                   Result<std::unique_ptr<DirectoryWatch>> watch,
                                                   Clock& clock);

  LiveRules(const LiveRules&) = delete;
  LiveRules& operator=(const LiveRules&) = delete;
  ~LiveRules() = default;

  // The first load. An error has all problems, one a line; nothing is in force then.
  Result<Done> Load();

  // Follows the files until Stop. An error where the system cannot wait any more; the rules stay
  // in force then, and nothing follows the files.
  Result<Done> Run();

  // Reads the files now, as on SIGHUP. Also from a signal handler.
  void RequestReload();
  // Ends Run after what it is doing. Also from a signal handler.
  void Stop();

  [[nodiscard]] std::shared_ptr<const RuleStatus> status() const { return loader_.status(); }

 private:
  LiveRules(LiveRulesOptions options, Result<std::unique_ptr<DirectoryWatch>> watch,
            Descriptor wake, Clock& clock);

  void Wake() const;
  Result<Done> Wait() const;
  void Step();
  void Act(ReloadCause cause);
  void NoteWatch();
  [[nodiscard]] Nanos LookEvery() const;

  const LiveRulesOptions options_;
  Clock& clock_;
  Descriptor wake_;  // an eventfd: readable when there is a request
  std::unique_ptr<DirectoryWatch> watch_;
  std::string no_watch_;  // why there is none
  Settle settle_;
  RuleLoader loader_;
  std::atomic<bool> reload_requested_{false};
  std::atomic<bool> stop_requested_{false};
};

}  // namespace sluice
