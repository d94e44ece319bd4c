// EventualCounters: decides on local counts plus the last known counts of all other nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/cache/key_table.h"
#include "remote/script/key_state.h"
#include "remote/script/redis_observer.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

struct EventualSettings {
  std::size_t max_keys = 100'000;
  std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded;
  Nanos sync_interval = std::chrono::milliseconds{100};
};

// Decides on the last state of a key that Redis reported, with the node's own later charges applied
// to it. It sends nothing itself: it returns what to synchronize, and is notified of the results.
//
// Over-admission: a node does not know what other nodes have admitted but not pushed, or what they
// have pushed since the last report. Syncs run every two fifths of sync_interval, and a report
// older than half of sync_interval is not used. So a node knows all of its own admissions and those
// of the others up to one sync_interval and a round trip ago. Together the nodes exceed the limit
// at most by what the others of each admit in that time. While the remote is away, each node
// continues with its own counts only.
//
// Thread safety: every method may be called from any thread. Times are from the local clock, except
// for `decided_at`.
//
// Invariants
//   (1) It decides only on a state that was reported at most half a sync_interval ago, or while a
//       sync of the key is in flight or fails.
//   (2) Every unit that is admitted here and not refunded is pushed, unless it is known to have
//       been pushed or its key was reset here since. None is pushed twice; a push whose outcome is
//       unknown counts as pushed. Units that are no longer in use are not pushed: those of a window
//       that has ended, and what a bucket has regained while the remote was away. A refund counts
//       in its own window only.
//   (3) One sync per key is in flight at a time. Charges made since it began are applied to the
//       state that it reports.
//   (4) The time of a key never decreases, unless its server's clock was set back or another server
//       with an earlier clock has taken over the key.
class EventualCounters {
 public:
  explicit EventualCounters(const EventualSettings& settings);

  [[nodiscard]] NodeCache::Answer Take(const RemoteItem& item, Time now, Decision& decision);
  // Returns how long `remaining` of a decision of Take stays valid; 0 if that is not known.
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, const Decision& decision, Time now);
  // Puts back units that were taken at `since`.
  void GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision);
  // Applies a refund requested by a caller while this node has units of the key that Redis does not
  // know yet. Redis would refund nothing, and the units would be pushed afterwards. Any excess is
  // pushed as a refund. Returns false and does nothing if there are no such units.
  [[nodiscard]] bool Refund(const RemoteItem& item, Time now, Decision& decision);
  // Forgets the state. Units to push are kept until the reply to a reset arrives.
  void Forget(const FleetKey& key);

  enum class Heard : std::uint8_t { kOwnSync, kOther };
  void OnReply(const RedisDecisionEvent& sight, Heard heard, Time now);

  // The items to synchronize now: one list for a kDebt and one for a kRefund.
  struct Sync {
    std::vector<RemoteItem> debts;  // a cost of 0 only reads the state
    std::vector<RemoteItem> refunds;

    [[nodiscard]] std::size_t size() const { return debts.size() + refunds.size(); }
  };
  enum class Which : std::uint8_t {
    kAll,      // keys that are requested
    kPending,  // keys with units to push
  };
  // Continues where the last call ended. Only one caller at a time. Returns false until it has
  // visited the last key. Every item must be followed by one call of Synced, even if OnReply was
  // called. REQUIRES: `sync` is empty.
  bool TakeSync(Which which, const WalkBounds& max, Time now, Sync& sync);
  void Synced(const RemoteItem& item, Operation operation, RemoteOutcome outcome);
  // Marks the sync of the key as failing because it takes too long: the remote counts as away.
  void SyncIsOverdue(const RemoteItem& item);

  // Drops unused entries step by step. Only one caller at a time.
  void Sweep(Time now);

  // Returns the interval of syncs.
  [[nodiscard]] Nanos sync_every() const { return sync_interval_ * 2 / 5; }

  [[nodiscard]] std::int64_t BytesApprox() const { return table_.budget().UsedApprox(); }
  // Units of all keys that were admitted but not pushed, as of the last complete sweep.
  [[nodiscard]] std::int64_t PendingApprox() const {
    return pending_units_.load(std::memory_order_relaxed);
  }
  // Returns the same number as of now, less the units to refund. It walks the table.
  [[nodiscard]] std::int64_t PendingForTest();

 private:
  // The members that every Take reads come first.
  struct Entry {
    std::shared_ptr<const RemoteTerms> terms;
    std::uint32_t route = 0;
    std::int64_t pending = 0;  // own units not pushed yet; below 0: to refund
    std::int64_t old = 0;      // part of pending from before young_since
    Time young_since{};
    std::int64_t under_way = 0;  // pushed and not answered
    Time told_at{};
    Time latest{};  // latest known time in Redis
    // Lower bound of the server's clock minus ours, and when it was measured. Kept per key because
    // the primaries of a cluster have different clocks.
    std::optional<Nanos> ahead;
    Time learnt_at{};
    Time asked_at{};
    Time decided_at{};
    std::int64_t told_remaining = 0;
    // The end of the window in which units were last admitted, and since when it is this window.
    std::optional<Time> window;
    Time window_since{};
    std::optional<Time> back_until;  // deadline for units to refund, pending or in flight
    bool is_syncing = false;
    bool was_told_meanwhile = false;  // another reply arrived since the sync began
    bool is_failing = false;
    bool is_listed = false;
    std::int64_t heap_bytes = 0;  // upper bound of the state's heap memory
    std::optional<KeyState> state;
  };

  bool Bind(Entry& entry, const RemoteItem& item);
  [[nodiscard]] bool IsFresh(const Entry& entry, Time now) const;
  static Time TimeOf(Entry& entry, Time now);
  static void LearnTime(Entry& entry, const RedisDecisionEvent& sight, Time now);
  static bool IsOvertaken(const Entry& entry, const RedisDecisionEvent& sight);
  static void Adopt(Entry& entry, const RedisDecisionEvent& sight);
  void Admit(Entry& entry, Cost cost, Time now) const;
  static void DropOver(Entry& entry, Time at);
  static void DropUnused(Entry& entry, Time at);
  static void Apply(Entry& entry, std::int64_t units);
  static void Return(Entry& entry, Cost cost, Time at, Decision& decision);
  // Returns whether the key must be visited again.
  bool TakeIfWanted(Which which, const FleetKey& key, Entry& entry, Time now, Sync& sync) const;
  static void TakeKey(const FleetKey& key, Entry& entry, Sync& sync);

  KeyTable<Entry> table_;
  const Nanos sync_interval_;
  // Position of TakeSync; the lists are taken shard by shard.
  std::size_t shard_ = 0;
  std::size_t place_ = 0;
  std::vector<FleetKey> keys_;
  // Running total of Sweep.
  std::int64_t swept_units_ = 0;
  std::atomic<std::int64_t> pending_units_{0};
};

}  // namespace sluice
