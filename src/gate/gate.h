// Gate: applies rules to requests, using a store, and returns verdicts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gate/limit_place.h"
#include "gate/override_limits.h"
#include "gate/rule_counts.h"
#include "gate/rule_series.h"
#include "gate/share_limit.h"
#include "rules/compile/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"
#include "store/memory_store.h"
#include "store/remote_store.h"

namespace sluice {

// A rule set whose limits have been registered with the stores. Immutable.
struct BoundRules {
  std::shared_ptr<const RuleSet> rules;
  std::vector<LimitPlace> places;  // one per limit of rules->limits()
  std::shared_ptr<const OverrideLimits> overrides;
  LimitHandle caller_limit;  // for CallerLimits
  std::shared_ptr<const RuleSeries> series;
};

// The rules in force, and where their states are kept: in memory, or with `remote_limits` in a
// remote store, except for rules with `consistency: local`.
//
// Thread safety: every method may be called from any thread; decisions go through a GateSession,
// one per thread.
// Ownership: the store, the clock and `remote_limits` must outlive it.
//
// Invariants
//   (1) A limit keeps its states from one rule set to the next while its id and its algorithm stay
//       the same; when its terms change, used units carry over.
//   (2) A rule set takes effect completely or not at all, including the terms of its limits. While
//       it takes effect, a thread may still decide by the previous rules and see a limit's new
//       terms.
//   (3) While the remote store cannot be asked, the nodes last counted together admit what each
//       limit allows (share_limit.h); units admitted this way stay recorded when the number of
//       nodes changes.
class Gate {
 public:
  Gate(MemoryStore& store, Clock& clock, const RemoteLimits* remote_limits = nullptr)
      : store_(store), clock_(clock), remote_limits_(remote_limits) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() = default;

  // Puts a rule set in force. On an error (the store has no room for more limits or terms) the
  // previous one stays in force. New limits that found room stay in the store, unused, and are not
  // added twice if the set is tried again.
  Result<Done> Use(std::shared_ptr<const RuleSet> rules);

  // Sets the number of nodes that are alive; shares are computed with RoundUpFleet of it. If the
  // store has no room for the terms of a share, the share of a larger fleet is used if there is
  // room for its terms, else the share stays as it is. Never blocks: returns false and does nothing
  // if rules are being put in force at the moment.
  bool SetFleetSize(FleetSize fleet);

  // Sets whether verdicts of sessions created from now on report when more units are available
  // (Verdict::more_after). This costs another lookup for limits whose state is more than a time or
  // a count, so enable it only if headers report it.
  void ReportGrowth(bool reports) { reports_growth_ = reports; }

  // Returns the rules in force; null before the first Use.
  [[nodiscard]] std::shared_ptr<const BoundRules> rules() const;

  // Returns what its sessions have decided since the start.
  [[nodiscard]] const RuleCounts& counts() const { return counts_; }

 private:
  friend class CallerLimits;
  friend class GateSession;

  struct KnownLimit {
    LimitHandle handle;
    Limit limit;  // the terms that were last set
    // For a limit in a remote store: its terms there.
    std::shared_ptr<const RemoteTerms> remote = nullptr;
  };
  // New terms for a limit.
  struct Change {
    KnownLimit* known;
    Limit to;
    const RuleLimit* named;
  };

  // Registers the limit for CallerLimits with the store, the first time.
  Result<Done> AddCallerLimit(Time now);
  // Decides where the states of a limit are kept, and registers it there.
  Result<LimitPlace> Place(const RuleLimit& limit, Time now, std::vector<Change>& changes);
  // Finds the limit in the store by its name or adds it. Terms that differ from its current ones
  // are added to `changes`.
  Result<LimitHandle> Bind(const std::string& name, const Change& wanted, Time now,
                           std::vector<Change>& changes);
  void ChangeShare(KnownLimit& known, const RuleLimit& limit, Time now);
  // Makes all changes or none.
  Result<Done> MakeChanges(const std::vector<Change>& changes, Time now);

  MemoryStore& store_;
  Clock& clock_;
  const RemoteLimits* const remote_limits_;  // null: everything is in memory
  std::mutex use_mutex_;                     // serializes Use
  FleetSize fleet_size_;                     // guarded by use_mutex_
  // Guarded by use_mutex_ until all of it is in the store.
  const std::shared_ptr<OverrideLimits> overrides_ = std::make_shared<OverrideLimits>();
  // Guarded by use_mutex_; none before the first Use.
  std::optional<LimitHandle> caller_limit_;
  std::unordered_map<std::string, KnownLimit> known_;  // by id and algorithm; guarded by use_mutex_

  RuleCounts counts_;
  bool reports_growth_ = false;  // set before sessions are made

  mutable std::mutex rules_mutex_;
  std::shared_ptr<const BoundRules> rules_;  // guarded by rules_mutex_
  // The number of rule sets so far. Written after rules_, under its mutex.
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace sluice
