// Gate: rules over a store. Requests in, verdicts out.
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
#include "rules/rule_set.h"
#include "sluice/clock.h"
#include "sluice/result.h"
#include "store/memory_store.h"
#include "store/remote.h"

namespace sluice {

// A rule set whose limits have been made known to the stores. Immutable.
struct BoundRules {
  std::shared_ptr<const RuleSet> rules;
  std::vector<LimitPlace> places;  // of rules->limits(), one each
  std::shared_ptr<const OverrideLimits> overrides;
  LimitHandle brought;  // of CallerLimits
  std::shared_ptr<const RuleSeries> series;
};

// The rules in force, and where their states are kept: in memory, or with `remote_limits` in a
// remote, but for rules with `consistency: local`.
//
// Thread safety: everything from any thread; deciding goes through a GateSession, one a thread.
// Ownership: the store, the clock and what makes limits known to a remote outlive it.
//
// Invariants
//   (1) A limit keeps its states from one rule set to the next while its id and its algorithm
//       stay; when its terms change, used units carry over.
//   (2) A rule set takes effect as a whole, or not at all: then also the terms of all limits
//       stay as they were. While it takes effect, a thread may still decide by the rules before
//       and meet a limit's new terms.
//   (3) While a remote cannot be asked, the nodes last counted admit together what each limit does
//       (share_limit.h); what was admitted so stays known when the number of nodes changes.
class Gate {
 public:
  Gate(MemoryStore& store, Clock& clock, const RemoteLimits* remote_limits = nullptr)
      : store_(store), clock_(clock), remote_limits_(remote_limits) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() = default;

  // Puts a rule set in force. An error (the store has no room for more limits or terms) leaves the
  // one that was in force. Limits that were new and found room stay known to the store, unused, and
  // are not added twice if the set is tried again.
  Result<Done> Use(std::shared_ptr<const RuleSet> rules);

  // So many nodes are alive; shares are reckoned with RoundUpFleet of that. Where the store has no
  // room for the terms of a share, they are those of a larger fleet if there is room for these,
  // else they stay as they are. False if rules are being put in force just now: then nothing was
  // done. It never waits.
  bool SetFleetSize(FleetSize fleet);

  // Whether verdicts of sessions that are made from now on say when more units are there
  // (Verdict::more_after). It costs another lookup for limits that keep more than a time or a
  // count, so only who writes it into headers asks for it.
  void ReportGrowth(bool reports) { reports_growth_ = reports; }

  // The rules in force; null before the first Use.
  [[nodiscard]] std::shared_ptr<const BoundRules> rules() const;

  // What its sessions have decided, ever.
  [[nodiscard]] const RuleCounts& counts() const { return counts_; }

 private:
  friend class CallerLimits;
  friend class GateSession;

  struct KnownLimit {
    LimitHandle handle;
    Limit limit;  // its terms, as they were last set
    // Of one that a remote keeps: as it was bound there.
    std::shared_ptr<const RemoteTerms> remote = nullptr;
  };
  // Terms that a limit is to have.
  struct Change {
    KnownLimit* known;
    Limit to;
    const RuleLimit* named;
  };

  // Makes the limit of those that callers bring known to the store, the first time.
  Result<Done> AddBrought(Time now);
  // Where the states of a limit are kept.
  Result<LimitPlace> Place(const RuleLimit& limit, Time now, std::vector<Change>& changes);
  // Finds the limit in the store by its name or adds it. Terms that it does not have yet are noted
  // in `changes`.
  Result<LimitHandle> Bind(const std::string& name, const Change& wanted, Time now,
                           std::vector<Change>& changes);
  void ChangeShare(KnownLimit& known, const RuleLimit& limit, Time now);
  // All of them or none.
  Result<Done> MakeChanges(const std::vector<Change>& changes, Time now);

  MemoryStore& store_;
  Clock& clock_;
  const RemoteLimits* const remote_limits_;  // null: everything is in memory
  std::mutex use_mutex_;                     // one Use at a time
  FleetSize fleet_size_;                     // under use_mutex_
  // Likewise, until all of it is in the store.
  const std::shared_ptr<OverrideLimits> overrides_ = std::make_shared<OverrideLimits>();
  std::optional<LimitHandle> brought_;  // under use_mutex_; none before the first Use
  std::unordered_map<std::string, KnownLimit> known_;  // by id and algorithm; under use_mutex_

  RuleCounts counts_;
  bool reports_growth_ = false;  // set before sessions are made

  mutable std::mutex rules_mutex_;
  std::shared_ptr<const BoundRules> rules_;  // under rules_mutex_
  // How many rule sets there have been. Written after rules_ under its mutex.
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace sluice
