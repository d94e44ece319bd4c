// MemoryStore: requests of several charges, taken all or not at all.
#include <algorithm>
#include <array>
#include <limits>

#include "store/memory_store.h"

namespace sluice {
namespace {

std::int64_t AddSaturated(std::int64_t a, std::int64_t b) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

// The shards of a request, locked in order so that two requests can never wait for each other.
class ShardsLock {
 public:
  ShardsLock() = default;
  ShardsLock(const ShardsLock&) = delete;
  ShardsLock& operator=(const ShardsLock&) = delete;
  ~ShardsLock() {
    for (std::size_t i = 0; i < count_; ++i) shards_[i]->lock.Unlock();
  }

  void Add(Shard& shard) { shards_[count_++] = &shard; }

  // Locks what was added; the time is the latest that any of the shards has seen.
  Time LockAll(Time now) {
    const auto end = shards_.begin() + static_cast<std::ptrdiff_t>(count_);
    std::sort(shards_.begin(), end);
    count_ = static_cast<std::size_t>(std::unique(shards_.begin(), end) - shards_.begin());
    for (std::size_t i = 0; i < count_; ++i) {
      shards_[i]->lock.Lock();
      now = shards_[i]->Advance(now);
    }
    for (std::size_t i = 0; i < count_; ++i) shards_[i]->Advance(now);
    return now;
  }

 private:
  std::array<Shard*, Local::kChargesMost> shards_{};
  std::size_t count_ = 0;
};

}  // namespace

bool GoesAhead(std::span<const Decision> decisions, std::span<const Veto> vetoes) {
  bool quota_asked = false;
  bool quota_passed = false;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Veto veto = VetoOf(vetoes, i);
    if (veto == Veto::kEnforce && !decisions[i].allowed) return false;
    quota_asked |= veto == Veto::kQuota;
    quota_passed |= veto == Veto::kQuota && decisions[i].allowed;
  }
  return !quota_asked || quota_passed;
}

// A charge on its way. Charges of the same key are decided as one, by the first of them.
struct MemoryStore::Item {
  Call call;
  Shard* shard = nullptr;
  std::size_t index = 0;   // of its charge
  std::size_t leader = 0;  // place of the first item of the same key
  bool seated = false;     // whether the key has a state of its own
  Cost left_alone{0};      // most units that a charge of the key must leave

  // Takes another charge of the same state to be decided with this one.
  void Join(const Item& other) {
    call.cost.units = AddSaturated(call.cost.units, other.call.cost.units);
    left_alone.units = std::max(left_alone.units, other.left_alone.units);
  }

  // Whether all charges of the key pass and leave what they must.
  Decision Ask(Time now) {
    const Cost cost = call.cost;
    call.cost.units = AddSaturated(cost.units, left_alone.units);
    const Decision decision = Run(Operation::kPeek, now);
    call.cost = cost;
    return decision;
  }

  // REQUIRES: the shard is locked.
  Decision Run(Operation operation, Time now) {
    call.operation = operation;
    if (!seated) return shard->RunShared(call, now);
    Decision decision;
    shard->Run(call, now, decision);
    return decision;
  }
};

// The charges of a request that are debts, or those that are not, in their order.
std::span<MemoryStore::Item> MemoryStore::MakeItems(const Request& request, Operation operation,
                                                    std::span<Item> room) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < request.charges.size(); ++i) {
    if (OperationOf(request, i) != operation) continue;
    Item& item = room[count];
    MakeCall(operation, request.charges[i], item.call);
    item.shard = &ShardOf(item.call);
    item.shard->Prefetch(item.call);
    item.index = i;
    item.leader = count;
    item.left_alone = LeftAlone(request, i);
    for (std::size_t j = 0; j < count; ++j) {
      if (room[j].call.hash != item.call.hash || room[j].call.limit != item.call.limit) continue;
      item.leader = room[j].leader;
      room[item.leader].Join(item);
      break;
    }
    ++count;
  }
  return room.first(count);
}

// REQUIRES: the shards are locked, and no key has been seated yet.
void MemoryStore::TakeDebts(std::span<Item> items, std::span<Decision> decisions, Time now) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (item.leader == i) {
      item.shard->Run(item.call, now, decisions[item.index]);
    } else {
      decisions[item.index] = decisions[items[item.leader].index];
    }
  }
}

// Finds every key a state that is its own or that it shares, until the request is decided.
void MemoryStore::SeatAll(std::span<Item> items, Time now) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i) items[i].seated = items[i].shard->Seat(items[i].call, now);
  }
  // Before any is asked, so that none takes the last shared states from one that was promised to
  // pass; and after all have been seated, which does housekeeping.
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i && !items[i].seated) items[i].shard->SeatShared(items[i].call, now);
  }
  JoinShared(items);
}

// Different keys that fell on one shared state are decided as one, too: each alone may pass where
// together they do not.
void MemoryStore::JoinShared(std::span<Item> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].seated || items[i].leader != i) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const bool leads = !items[j].seated && items[j].leader == j;
      const bool together = leads && items[i].shard == items[j].shard &&
                            items[i].shard->ShareState(items[i].call, items[j].call);
      if (!together) continue;
      items[j].Join(items[i]);
      for (Item& item : items) item.leader = item.leader == i ? j : item.leader;
      break;
    }
  }
}

void MemoryStore::Decide(std::span<const Request> requests, std::span<Decision> decisions,
                         Time now) {
  now = Advance(now);
  while (!requests.empty()) {
    const std::size_t charges = requests.front().charges.size();
    if (IsAlone(requests.front())) {
      const std::size_t alone = DecideAlone(requests, decisions, now);
      requests = requests.subspan(alone);
      decisions = decisions.subspan(alone);
    } else {
      DecideTogether(requests.front(), decisions.first(charges), now);
      requests = requests.subspan(1);
      decisions = decisions.subspan(charges);
    }
  }
}

void MemoryStore::DecideTogether(const Request& request, std::span<Decision> decisions, Time now) {
  std::array<Item, kChargesMost> room;
  std::span<Item> debts;
  if (!request.vetoes.empty()) debts = MakeItems(request, Operation::kDebt, room);
  const std::span<Item> free = std::span<Item>(room).subspan(debts.size());
  const std::span<Item> items = MakeItems(request, Operation::kCheck, free);
  ShardsLock lock;
  for (const Item& item : debts) lock.Add(*item.shard);
  for (const Item& item : items) lock.Add(*item.shard);
  now = lock.LockAll(now);
  TakeDebts(debts, decisions, now);
  SeatAll(items, now);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    decisions[item.index] = item.leader == i ? item.Ask(now) : decisions[items[item.leader].index];
  }
  const bool goes_ahead = GoesAhead(decisions, request.vetoes);
  const bool takes = request.taking == Taking::kAllOrNone;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    Decision& decision = decisions[item.index];
    // A refused check takes nothing, but is recorded where the limit counts refused ones. Where
    // units must be left it could pass: that was refused already.
    const bool runs = takes && (decision.allowed ? goes_ahead : item.left_alone.units == 0);
    if (item.leader != i) {
      decision = decisions[items[item.leader].index];
    } else if (runs) {
      decision = item.Run(Operation::kCheck, now);
    } else if (item.seated) {
      item.shard->Unseat(item.call);
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i && !items[i].seated) items[i].shard->UnseatShared();
  }
}

}  // namespace sluice
