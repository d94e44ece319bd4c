// LiveRules: keeps the rules in force up to date with their files while the program runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/watch/directory_watch.h"
#include "config/watch/file_watcher.h"
#include "config/watch/rule_loader.h"
#include "config/watch/rule_status.h"
#include "core/limit/limit.h"
#include "rules/compile/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"

namespace sluice {

struct LiveRulesOptions {
  std::vector<std::string> paths;  // rule files, or directories of rule files
  ZoneSource zones;
  std::function<Result<Done>(std::shared_ptr<const RuleSet>)> use;  // Gate::Use
  std::function<void(const RuleEvent&)> report;                     // to the log
  FollowTimes times;
};

// Loads rules, and reloads them when their files change or when a reload is requested. All work is
// done on the thread that calls Run; threads that decide requests never wait for it.
//
// Thread safety: RequestReload, Stop and status from any thread; Load before Run; Run from one
// thread. Ownership: the clock and whatever `use` and `report` refer to must outlive it.
//
// Invariants: those of RuleLoader and FileWatcher.
class LiveRules {
 public:
  // Without a watch (`watch` is an error), polls the files every look_every_unwatched. Returns an
  // error only if the process is out of descriptors.
  static Result<std::unique_ptr<LiveRules>> Create(LiveRulesOptions options,
                                                   Result<std::unique_ptr<DirectoryWatch>> watch,
                                                   Clock& clock);

  LiveRules(const LiveRules&) = delete;
  LiveRules& operator=(const LiveRules&) = delete;
  ~LiveRules() = default;

  // Loads the rules for the first time. An error has all problems, one per line; no rules are in
  // force then.
  Result<Done> Load();

  // Watches the files until Stop. Returns an error if the system fails to wait; the rules stay in
  // force then, but changes of their files are no longer noticed.
  Result<Done> Run() { return follower_->Run(); }

  // Reloads the files now, as on SIGHUP. Async-signal-safe.
  void RequestReload() { follower_->RequestReload(); }
  // Makes Run return after its current step. Async-signal-safe.
  void Stop() { follower_->Stop(); }

  [[nodiscard]] std::shared_ptr<const RuleStatus> status() const { return loader_.status(); }

 private:
  LiveRules(LiveRulesOptions options, Clock& clock);

  const LiveRulesOptions options_;
  RuleLoader loader_;
  std::unique_ptr<FileWatcher> follower_;
};

}  // namespace sluice
