// Purse: units that were taken from a remote in advance, and are spent here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "remote/key_table.h"
#include "remote/second_sight.h"
#include "sluice/decision.h"
#include "sluice/time.h"
#include "store/nearby.h"
#include "store/remote.h"

namespace sluice {

// Holds leases. It asks nobody itself: it says which units are to be asked for and which are to go
// back, and is told what became of that.
//
// The size of a lease follows demand. None is asked for before a few checks came within the life of
// one. The first is small; the next is twice as large where one was spent before its end, and what
// was spent of it where it was not.
//
// Thread safety: every method from any thread. Times are those of the local clock, but for `until`
// and `decided_at`, which are the remote's.
//
// Invariants
//   (1) Every unit that is spent was charged in the remote before, and is spent once: what is
//       admitted is never above the limit, counted when units are taken.
//   (2) Of a key at most one lease is asked for at a time.
//   (3) A lease is at most the part of what is left that is one node's fair share, halved, and at
//       least a few costs: near the limit everything is decided in the remote.
//   (4) A lease ends LeaseLife (near_limit.h) after it was asked for, or with its window, by the
//       local clock, so not after it does in the remote. Its units are not spent later, nor are
//       units of one window in the next.
//   (5) What is not spent goes back once: when the lease ends, when nothing was spent of it for a
//       quarter of its life, when its terms are retired, or when all is to go back. A give-back
//       names the end of the window, or when the units are back by themselves: from then on it
//       would free those of others.
//   (6) Units whose reply is lost are lost, but a give-back that was surely not done is repeated.
//       Those of a key that is forgotten are lost, too: its reset may have wiped what was charged
//       for them.
//   (7) A key is remembered only when it is seen for the second time (SecondSight), so that a flood
//       of keys that come once does not fill the table.
class Purse {
 public:
  explicit Purse(std::size_t keys_most, std::int64_t bytes_max = KeyTable<int>::kBytesUnbounded);

  struct Taken {
    Nearby::Answer answer = Nearby::Answer::kUnknown;
    // Units to ask for now, with AskFor; 0: none. They are claimed: Grant or NotGranted must
    // follow.
    Cost lease{0};
  };

  [[nodiscard]] Taken Take(const RemoteItem& item, Time now, Decision& decision);
  // How long what the remote last told stays so: until it has more left than the decisions here
  // know of. 0 where it did not tell.
  [[nodiscard]] Nanos UntilMore(const RemoteItem& item, Time now);
  // Of units that were taken at `since`.
  void GiveBack(const RemoteItem& item, Time since, Time now, Decision& decision);
  void Forget(const FleetKey& key, Time now);

  // What the remote said of a key.
  struct Reply {
    const RemoteItem& item;
    const Decision& decision;
    Time sent_at{};
    Time decided_at{};
    // How long `remaining` stays so, where the decision does not say that (RemoteCall::more_after).
    Nanos more_after{0};
    ReturnBound bound{};  // of a check that takes a lease
  };
  // To a check that was not answered here. Answers as Taken::lease.
  [[nodiscard]] Cost Hear(const Reply& reply, Time now);

  // The check that takes a lease which was claimed.
  [[nodiscard]] RemoteItem AskFor(const RemoteItem& item, Cost lease) const;

  // To that.
  void Grant(const Reply& reply, Time now);
  // It was not decided, or not asked.
  void NotGranted(const RemoteItem& item, Time now);

  enum class Which : std::uint8_t { kEnded, kAll };
  // Items that one key can be.
  static constexpr std::size_t kItemsOfKey = 3;
  struct ReturnBounds {
    WalkBounds walk;
    // Keys with retired terms of which kEnded takes units. A reload retires the terms of any number
    // of keys at once, so they are paced. The call reduces it.
    std::size_t retired_keys = 0;
  };
  // Takes out what is to go back, as items of a kRefund, from where the last call ended. One caller
  // at a time. False before the last key. REQUIRES: no items are there yet, and there is room for
  // those of a key.
  bool TakeReturns(Which which, ReturnBounds& most, Time now, std::vector<RemoteItem>& items);

  // Of an item of TakeReturns, from when it was taken out: it was not done. It goes back later, as
  // long as that has a use. False where the key has been leased under other terms since, or is
  // forgotten: its units stay charged.
  bool NotReturned(const RemoteItem& item, Time taken_at, Time now);

  // A piece of housekeeping. One caller at a time.
  void Sweep(Time now);

  // How many nodes share the limits.
  void SetLiveNodes(std::int64_t nodes) {
    live_nodes_.store(nodes < 1 ? 1 : nodes, std::memory_order_relaxed);
  }
  // From now on nothing is leased any more; what is granted late is to go back.
  void Close() { is_closed_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t BytesApprox() const { return table_.budget().UsedApprox(); }
  // Units that can be spent or are still to go back, of all keys, when they were last swept.
  [[nodiscard]] std::int64_t UnitsApprox() const { return units_.load(std::memory_order_relaxed); }
  // The same now. It walks the table.
  [[nodiscard]] std::int64_t UnitsForTest();

 private:
  // The units of one lease.
  struct Lot {
    std::int64_t units = 0;
    std::int64_t granted = 0;
    Time since{};
    Time ends{};
    ReturnBound bound;           // until when they can be given back
    std::optional<Time> window;  // its end, of a limit that has windows
  };

  // Units that are not to be spent any more.
  struct GoingBack {
    std::int64_t units = 0;
    ReturnBound bound;  // as of a lot
  };

  // Lots are spent in order; one without units is followed by none with units.
  struct Entry {
    std::shared_ptr<const RemoteTerms> terms;
    std::uint32_t route = 0;
    Nanos life{0};
    std::array<Lot, 2> lots;
    GoingBack back;
    Time back_after{};
    std::int64_t next = 0;    // size of the next lease, before what is fair
    std::int64_t demand = 0;  // units asked for of the remote since demand_since
    Time demand_since{};
    Time asked_at{};
    Time spent_at{};
    Time ask_after{};
    Decision told;
    Nanos told_more_after{0};
    Time told_at{};
    Nanos ahead{0};  // the remote's clock, of ours, at least
    // Of the units last spent: as in their lot.
    ReturnBound bound;
    std::optional<Time> window;
    // Units that were taken before are not put back: they are of a window that is over, or of
    // before a reset.
    Time holds_since{};
    Time forgotten_at{};
    bool is_asking = false;
    bool is_listed = false;
    bool is_void = false;  // what is being asked for is not to be spent
  };

  static bool Bind(Entry& entry, const RemoteItem& item, Time now);
  static std::int64_t UnitsOf(const Entry& entry);
  static std::int64_t LiveUnits(const Entry& entry, Time now);
  static void Spend(Entry& entry, Cost cost, Time now);
  static void SpendLot(Entry& entry, Lot& lot, std::int64_t units, Time now);
  static void DropSpent(Entry& entry);
  static void Note(Entry& entry, const Reply& reply, Time now);
  static RemoteItem ItemOf(const Entry& entry, const FleetKey& key, const GoingBack& back);
  static bool IsPartEnding(const Entry& entry, Time now);
  static void Report(const Entry& entry, Time now, Decision& decision);
  static void PutBack(Entry& entry, Cost cost, Time now);
  static void MakeRoom(Entry& entry, Time now);
  static void AddBack(Entry& entry, const GoingBack& more, Time now);
  static bool HasUnits(const Entry& entry);
  static void CountDemand(Entry& entry, Cost cost, Time now);
  static bool IsDue(const Entry& entry, const Lot& lot, Time now);
  static void List(Entry& entry, const FleetKey& key, std::vector<FleetKey>& list);

  Cost Claim(Entry& entry, Cost cost, Time now) const;
  static Lot LotOf(const Entry& entry, const Reply& reply);
  static void TakeLots(Entry& entry, Which which, const FleetKey& key, Time now,
                       std::vector<RemoteItem>& items);
  static void TakeKey(Entry& entry, Which which, const FleetKey& key, Time now, ReturnBounds& most,
                      std::vector<RemoteItem>& items);

  KeyTable<Entry> table_;
  SecondSight sight_;
  std::atomic<std::int64_t> live_nodes_{1};
  std::atomic<bool> is_closed_{false};
  // Of TakeReturns: lists are taken shard by shard.
  std::size_t shard_ = 0;
  std::size_t place_ = 0;
  std::vector<FleetKey> keys_;
  // Of Sweep.
  std::int64_t swept_units_ = 0;
  std::atomic<std::int64_t> units_{0};
};

}  // namespace sluice
