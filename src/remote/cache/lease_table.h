// LeaseTable: units that were taken from a remote store in advance and are spent locally.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/cache/key_table.h"
#include "remote/cache/second_sight.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/node_cache.h"
#include "store/remote_store.h"

namespace sluice {

// Holds leases. It sends nothing itself: it returns which units to request and which to return, and
// is notified of the results.
//
// The size of a lease follows demand. A key gets a lease only after a few checks have come within a
// lease's lifetime. The first lease is small. The next one is twice as large if the lease was spent
// before it ended; otherwise it is as large as what was spent.
//
// Thread safety: every method may be called from any thread. Times are from the local clock, except
// for `until` and `decided_at`, which are from the remote's.
//
// Invariants
//   (1) Every unit that is spent was charged in the remote before, and is spent once. So the remote
//       never admits more than the limit, counted when the units are taken.
//   (2) At most one lease per key is requested at a time.
//   (3) A lease is at most half of one node's fair share of the remaining units, and at least a few
//       costs. Near the limit, every request is decided by the remote.
//   (4) A lease ends LeaseLife (near_limit.h) after it was requested, or with its window, by the
//       local clock, and so not later than in the remote. Its units are not spent later, and units
//       of one window are not spent in the next.
//   (5) Unspent units are returned once: when the lease ends, when none was spent for a quarter of
//       its life, when its terms are retired, or when all units are to be returned. A return names
//       the end of the window, or the time at which the units come back by themselves, because from
//       then on it would free other units.
//   (6) Units whose reply is lost are lost, but a return that was certainly not applied is
//       repeated. Units of a key that is reset are dropped, because the reset may have wiped what
//       was charged for them.
//   (7) A key is remembered only when it is seen for the second time (SecondSight), so that a flood
//       of keys that occur once does not fill the table.
class LeaseTable {
 public:
  explicit LeaseTable(std::size_t max_keys,
                      std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded);

  struct Taken {
    NodeCache::Answer answer = NodeCache::Answer::kUnknown;
    // Units to request now with AskFor; 0: none. They are claimed, so Grant or NotGranted must
    // follow.
    Cost lease{0};
  };

  [[nodiscard]] Taken Take(const RemoteItem& item, Time now, Decision& decision);
  // Returns how long `remaining` stays valid, by the last reply of the remote: until then no units
  // come back that local decisions do not know of. 0 if the remote has not reported it.
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, Time now);
  // Puts back units that were taken at `since`.
  void GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision);
  void Forget(const FleetKey& key, Time now);

  // A reply of the remote about one key.
  struct Reply {
    const RemoteItem& item;
    const Decision& decision;
    Time sent_at{};
    Time decided_at{};
    // How long `remaining` stays valid if the decision does not say so (RemoteCall::more_after).
    Nanos more_after{0};
    ReturnBound bound{};  // set for a check that takes a lease
  };
  // Processes the reply to a check that was not decided here. Returns the same as Taken::lease.
  [[nodiscard]] Cost OnReply(const Reply& reply, Time now);

  // Makes the check that requests a claimed lease.
  [[nodiscard]] RemoteItem AskFor(const RemoteItem& item, Cost lease) const;

  // Processes the reply to the request that AskFor made.
  void Grant(const Reply& reply, Time now);
  // Records that the request was not decided or not sent.
  void NotGranted(const RemoteItem& item, Time now);

  enum class Which : std::uint8_t { kEnded, kAll };
  // Maximum number of items that TakeReturns produces for one key.
  static constexpr std::size_t kItemsOfKey = 3;
  struct ReturnBounds {
    WalkBounds walk;
    // Number of keys with retired terms that kEnded processes. A reload retires the terms of any
    // number of keys at once, so their returns are paced. The call reduces this number.
    std::size_t retired_keys = 0;
  };
  // Takes out the units to return, as items of a kRefund, continuing where the last call ended.
  // Only one caller at a time. Returns false until it has visited the last key. REQUIRES: `items`
  // is empty, and there is room for the items of one key.
  bool TakeReturns(Which which, ReturnBounds& max, Time now, std::vector<RemoteItem>& items);

  // Notes that an item of TakeReturns, taken out at `taken_at`, was not applied. It is returned
  // later, as long as that is useful. Returns false if the key has been leased under other terms
  // since, or is not known: its units stay charged.
  bool NotReturned(const RemoteItem& item, Time taken_at, Time now);

  // Drops unused entries step by step. Only one caller at a time.
  void Sweep(Time now);

  // Sets the number of nodes that share the limits.
  void SetLiveNodes(std::int64_t nodes) {
    live_nodes_.store(nodes < 1 ? 1 : nodes, std::memory_order_relaxed);
  }
  // Stops leasing. A lease that is granted later is returned.
  void Close() { is_closed_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t BytesApprox() const { return table_.budget().UsedApprox(); }
  // Units of all keys that can be spent or must still be returned, as of the last complete sweep.
  [[nodiscard]] std::int64_t UnitsApprox() const { return units_.load(std::memory_order_relaxed); }
  // Returns the same number as of now. It walks the table.
  [[nodiscard]] std::int64_t UnitsForTest();

 private:
  // The units of one lease.
  struct Lease {
    std::int64_t units = 0;
    std::int64_t granted = 0;
    Time since{};
    Time ends{};
    ReturnBound bound;           // until when they can be returned
    std::optional<Time> window;  // end of the window, if the limit has windows
  };

  // Units that may no longer be spent.
  struct PendingReturn {
    std::int64_t units = 0;
    ReturnBound bound;  // see Lease
  };

  // Leases in `lots` are spent in order. If the first has no units, the second has none either.
  struct Entry {
    std::shared_ptr<const RemoteTerms> terms;
    std::uint32_t route = 0;
    Nanos life{0};
    std::array<Lease, 2> lots;
    PendingReturn back;
    Time back_after{};
    std::int64_t next = 0;    // size of the next lease before the fair-share bound
    std::int64_t demand = 0;  // units requested from the remote since demand_since
    Time demand_since{};
    Time asked_at{};
    Time spent_at{};
    Time ask_after{};
    Decision told;
    Nanos told_more_after{0};
    Time told_at{};
    Nanos ahead{0};  // lower bound of the remote's clock minus ours
    // Copied from the lease whose units were spent last.
    ReturnBound bound;
    std::optional<Time> window;
    // Units taken before this time are not put back, because they belong to a window that has ended
    // or were taken before a reset.
    Time holds_since{};
    Time forgotten_at{};
    bool is_asking = false;
    bool is_listed = false;
    bool is_void = false;  // the requested lease must not be spent
  };

  static bool Bind(Entry& entry, const RemoteItem& item, Time now);
  static std::int64_t UnitsOf(const Entry& entry);
  static std::int64_t LiveUnits(const Entry& entry, Time now);
  static void Spend(Entry& entry, Cost cost, Time now);
  static void SpendLot(Entry& entry, Lease& lot, std::int64_t units, Time now);
  static void DropSpent(Entry& entry);
  static void Note(Entry& entry, const Reply& reply, Time now);
  static RemoteItem ItemOf(const Entry& entry, const FleetKey& key, const PendingReturn& back);
  static bool IsPartEnding(const Entry& entry, Time now);
  static void Report(const Entry& entry, Time now, Decision& decision);
  static void PutBack(Entry& entry, Cost cost, Time now);
  static void MakeRoom(Entry& entry, Time now);
  static void AddBack(Entry& entry, const PendingReturn& more, Time now);
  static bool HasUnits(const Entry& entry);
  static void CountDemand(Entry& entry, Cost cost, Time now);
  static bool IsDue(const Entry& entry, const Lease& lot, Time now);
  static void List(Entry& entry, const FleetKey& key, std::vector<FleetKey>& list);

  Cost Claim(Entry& entry, Cost cost, Time now) const;
  static Lease LotOf(const Entry& entry, const Reply& reply);
  static void TakeLots(Entry& entry, Which which, const FleetKey& key, Time now,
                       std::vector<RemoteItem>& items);
  static void TakeKey(Entry& entry, Which which, const FleetKey& key, Time now, ReturnBounds& max,
                      std::vector<RemoteItem>& items);

  KeyTable<Entry> table_;
  SecondSight sight_;
  std::atomic<std::int64_t> live_nodes_{1};
  std::atomic<bool> is_closed_{false};
  // Position of TakeReturns; the lists are taken shard by shard.
  std::size_t shard_ = 0;
  std::size_t place_ = 0;
  std::vector<FleetKey> keys_;
  // Running total of Sweep.
  std::int64_t swept_units_ = 0;
  std::atomic<std::int64_t> units_{0};
};

}  // namespace sluice
