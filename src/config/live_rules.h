// LiveRules: rules that follow their files while the program runs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/directory_watch.h"
#include "config/file_follower.h"
#include "config/rule_loader.h"
#include "config/rule_status.h"
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
  FollowTimes times;
};

// Loads rules and puts them in force again whenever their files change or somebody asks. Everything
// happens on the one thread that calls Run; those that decide never wait for it.
//
// Thread safety: RequestReload, Stop and status from any thread; Load before Run; Run from one
// thread. Ownership: the clock and what `use` and `report` refer to outlive it.
//
// Invariants: those of RuleLoader and FileFollower.
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
  Result<Done> Run() { return follower_->Run(); }

  // Reads the files now, as on SIGHUP. Also from a signal handler.
  void RequestReload() { follower_->RequestReload(); }
  // Ends Run after what it is doing. Also from a signal handler.
  void Stop() { follower_->Stop(); }

  [[nodiscard]] std::shared_ptr<const RuleStatus> status() const { return loader_.status(); }

 private:
  LiveRules(LiveRulesOptions options, Clock& clock);

  const LiveRulesOptions options_;
  RuleLoader loader_;
  std::unique_ptr<FileFollower> follower_;
};

}  // namespace sluice
