// EventualView: own counts, and those last known of all other nodes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/key_state.h"
#include "remote/key_table.h"
#include "remote/redis_observer.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

struct EventualSettings {
  std::size_t keys_most = 100'000;
  std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded;
  Nanos sync_interval = std::chrono::milliseconds{100};
};

// Decides on the state that Redis last told of a key, with own charges since applied to it. It asks
// nobody itself: it says what is to be synchronised, and is told what became of that.
//
// What is admitted too much: a node does not know what the others have admitted and not pushed, nor
// what they have pushed since it was told. Syncs come every two fifths of sync_interval, and what
// was told more than half of it ago is not used. So a node decides on all that the others admitted
// until one sync_interval and a round trip ago (and its own, all of it), and the nodes together
// admit above the limit at most what the others of each admit in that time. While the remote is
// away each goes on with its own counts alone.
//
// Thread safety: every method from any thread. Times are those of the local clock, but for
// `decided_at`.
//
// Invariants
//   (1) It decides only on a state that was told at most half a sync_interval ago, or while a sync
//       of the key is under way or fails.
//   (2) Every unit that is admitted here and not given back is pushed, as long as it is not known
//       to have been pushed, and its key was not reset here since; and none is pushed twice. A push
//       whose fate is unknown counts as pushed. Units that are in use no longer are not pushed:
//       those of a window that is over, and what a bucket has got back while the remote was away.
//       What is given back counts in its own window alone.
//   (3) Of a key one sync is under way at a time, and what was charged since it began is applied to
//       what it tells.
//   (4) The time of a key never goes back, whatever the clocks of Redis do.
class EventualView {
 public:
  explicit EventualView(const EventualSettings& settings);

  [[nodiscard]] Nearby::Answer Take(const RemoteItem& item, Time now, Decision& decision);
  // How long `remaining` of a decision of Take stays what it is; 0 where that is not known.
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, const Decision& decision, Time now);
  // Of units that were taken at `since`.
  void GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision);
  // A refund that a caller asks for, while units of the key are here that Redis has not heard of:
  // Redis would give back nothing, and the units would follow. What goes beyond them is pushed as a
  // refund. False: nothing was done, because there are none.
  [[nodiscard]] bool Refund(const RemoteItem& item, Time now, Decision& decision);
  // What it has to push stays until a reset is heard of.
  void Forget(const FleetKey& key);

  enum class Heard : std::uint8_t { kOwnSync, kOther };
  void Hear(const RedisSight& sight, Heard heard, Time now);

  // What is to be synchronised now: a kDebt and a kRefund.
  struct Sync {
    std::vector<RemoteItem> debts;  // a cost of 0 only asks what the state is
    std::vector<RemoteItem> refunds;

    [[nodiscard]] std::size_t size() const { return debts.size() + refunds.size(); }
  };
  enum class Which : std::uint8_t {
    kAll,      // that are asked for
    kPending,  // with units to push
  };
  // Goes on from where the last call ended. One caller at a time. False before the last key. Every
  // item is to be followed by one call of Synced, also where Hear was called. REQUIRES: no items
  // are there yet.
  bool TakeSync(Which which, const WalkBounds& most, Time now, Sync& sync);
  void Synced(const RemoteItem& item, Operation operation, RemoteFate fate);
  // It takes longer than it may: the remote is away.
  void SyncIsOverdue(const RemoteItem& item);

  // A piece of housekeeping. One caller at a time.
  void Sweep(Time now);

  // How often to synchronise.
  [[nodiscard]] Nanos sync_every() const { return sync_interval_ * 2 / 5; }

  [[nodiscard]] std::int64_t BytesApprox() const { return table_.budget().UsedApprox(); }
  // Units that were admitted and not pushed, of all keys, when they were last swept.
  [[nodiscard]] std::int64_t PendingApprox() const {
    return pending_units_.load(std::memory_order_relaxed);
  }
  // The same now, less those that are to be given back. It walks the table.
  [[nodiscard]] std::int64_t PendingForTest();

 private:
  // What every Take reads comes first.
  struct Entry {
    std::shared_ptr<const RemoteTerms> terms;
    std::uint32_t route = 0;
    std::int64_t pending = 0;  // own units that were not pushed; below 0: to be given back
    std::int64_t old = 0;      // of pending: from before young_since
    Time young_since{};
    std::int64_t under_way = 0;  // pushed and not answered
    Time told_at{};
    Time latest{};  // in Redis, as far as is known
    // By how much the clock of the key's server is ahead of ours, at least; when that was learnt.
    // Kept per key because the primaries of a cluster have clocks of their own.
    std::optional<Nanos> ahead;
    Time learnt_at{};
    Time asked_at{};
    Time decided_at{};
    std::int64_t told_remaining = 0;
    // The end of the window in which units were last admitted, and since when that is so.
    std::optional<Time> window;
    Time window_since{};
    std::optional<Time> back_until;  // of units to be given back, pending or under way
    bool is_syncing = false;
    bool was_told_meanwhile = false;  // a state since the sync began, by somebody else
    bool is_failing = false;
    bool is_listed = false;
    std::int64_t heap_bytes = 0;  // of its state, at most
    std::optional<KeyState> state;
  };

  bool Bind(Entry& entry, const RemoteItem& item);
  [[nodiscard]] bool IsFresh(const Entry& entry, Time now) const;
  static Time TimeOf(Entry& entry, Time now);
  static void LearnTime(Entry& entry, const RedisSight& sight, Time now);
  static bool IsOvertaken(const Entry& entry, const RedisSight& sight);
  static void Adopt(Entry& entry, const RedisSight& sight);
  void Admit(Entry& entry, Cost cost, Time now) const;
  static void DropOver(Entry& entry, Time at);
  static void DropUnused(Entry& entry, Time at);
  static void Apply(Entry& entry, std::int64_t units);
  static void Return(Entry& entry, Cost cost, Time at, Decision& decision);
  // Whether the key is to be looked at again.
  bool TakeIfWanted(Which which, const FleetKey& key, Entry& entry, Time now, Sync& sync) const;
  static void TakeKey(const FleetKey& key, Entry& entry, Sync& sync);

  KeyTable<Entry> table_;
  const Nanos sync_interval_;
  // Of TakeSync: lists are taken shard by shard.
  std::size_t shard_ = 0;
  std::size_t place_ = 0;
  std::vector<FleetKey> keys_;
  // Of Sweep.
  std::int64_t swept_units_ = 0;
  std::atomic<std::int64_t> pending_units_{0};
};

}  // namespace sluice
