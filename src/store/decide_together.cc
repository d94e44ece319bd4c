// MemoryStore: decides requests with several charges, all or none.
#include <algorithm>
#include <array>
#include <limits>

#include "store/memory_store.h"

namespace sluice {
namespace {

std::int64_t AddSaturated(std::int64_t a, std::int64_t b) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return a > kMax - b ? kMax : a + b;
}

// Locks the shards of a request in a fixed order, so that two requests cannot deadlock.
class ShardsLock {
 public:
  ShardsLock() = default;
  ShardsLock(const ShardsLock&) = delete;
  ShardsLock& operator=(const ShardsLock&) = delete;
  ~ShardsLock() {
    for (std::size_t i = 0; i < count_; ++i) shards_[i]->lock.Unlock();
  }

  void Add(Shard& shard) { shards_[count_++] = &shard; }

  // Locks the added shards. Returns the latest time that any of them has seen.
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
  std::array<Shard*, Local::kMaxCharges> shards_{};
  std::size_t count_ = 0;
};

}  // namespace

bool GoesAhead(std::span<const Decision> decisions, std::span<const Enforcement> enforcements) {
  bool quota_asked = false;
  bool quota_passed = false;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Enforcement enforcement = EnforcementOf(enforcements, i);
    if (enforcement == Enforcement::kEnforce && !decisions[i].allowed) return false;
    quota_asked |= enforcement == Enforcement::kQuota;
    quota_passed |= enforcement == Enforcement::kQuota && decisions[i].allowed;
  }
  return !quota_asked || quota_passed;
}

// One charge of a request in progress. Charges of the same key are decided together, by the first
// of them (the leader).
struct MemoryStore::Item {
  Call call;
  Shard* shard = nullptr;
  std::size_t index = 0;   // position of its charge in the request
  std::size_t leader = 0;  // index of the first item of the same key
  bool claimed = false;    // whether the key has a state of its own
  Cost min_remaining{0};   // maximum that any charge of the key requires to remain

  // Merges another charge of the same state into this one.
  void Join(const Item& other) {
    call.cost.units = AddSaturated(call.cost.units, other.call.cost.units);
    min_remaining.units = std::max(min_remaining.units, other.min_remaining.units);
  }

  // Decides whether all charges of the key pass together and leave their min_remaining. Takes
  // nothing.
  Decision Ask(Time now) {
    const Cost cost = call.cost;
    call.cost.units = AddSaturated(cost.units, min_remaining.units);
    const Decision decision = Run(Operation::kPeek, now);
    call.cost = cost;
    return decision;
  }

  // REQUIRES: the shard is locked.
  Decision Run(Operation operation, Time now) {
    call.operation = operation;
    if (!claimed) return shard->RunShared(call, now);
    Decision decision;
    shard->Run(call, now, decision);
    return decision;
  }
};

// Fills `room` with the charges of a request that have this operation (kDebt or kCheck), in order.
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
    item.min_remaining = MinRemaining(request, i);
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

// Charges all debts. REQUIRES: the shards are locked, and no key has been claimed yet.
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

// Claims a state for every key, its own or a shared one, until the request has been decided.
void MemoryStore::ClaimAll(std::span<Item> items, Time now) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i) items[i].claimed = items[i].shard->Claim(items[i].call, now);
  }
  // Shared states are reserved before any charge is decided, so that no charge takes the last
  // shared states from one that was decided to pass; and after all claims, because claiming does
  // housekeeping.
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i && !items[i].claimed) items[i].shard->ClaimShared(items[i].call, now);
  }
  JoinShared(items);
}

// Different keys that map to the same shared state are decided together, too, because each alone
// may pass when together they do not.
void MemoryStore::JoinShared(std::span<Item> items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].claimed || items[i].leader != i) continue;
    for (std::size_t j = 0; j < i; ++j) {
      const bool leads = !items[j].claimed && items[j].leader == j;
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
  std::array<Item, kMaxCharges> room;
  std::span<Item> debts;
  if (!request.enforcements.empty()) debts = MakeItems(request, Operation::kDebt, room);
  const std::span<Item> free = std::span<Item>(room).subspan(debts.size());
  const std::span<Item> items = MakeItems(request, Operation::kCheck, free);
  ShardsLock lock;
  for (const Item& item : debts) lock.Add(*item.shard);
  for (const Item& item : items) lock.Add(*item.shard);
  now = lock.LockAll(now);
  TakeDebts(debts, decisions, now);
  ClaimAll(items, now);
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    decisions[item.index] = item.leader == i ? item.Ask(now) : decisions[items[item.leader].index];
  }
  const bool goes_ahead = GoesAhead(decisions, request.enforcements);
  const bool takes = request.charge_mode == ChargeMode::kAllOrNone;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item& item = items[i];
    Decision& decision = decisions[item.index];
    // A refused check takes nothing, but it runs so that limits with count_refused record it. A
    // check that was refused because of min_remaining must not run: without that condition it could
    // pass.
    const bool runs = takes && (decision.allowed ? goes_ahead : item.min_remaining.units == 0);
    if (item.leader != i) {
      decision = decisions[items[item.leader].index];
    } else if (runs) {
      decision = item.Run(Operation::kCheck, now);
    } else if (item.claimed) {
      item.shard->ReleaseClaim(item.call);
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].leader == i && !items[i].claimed) items[i].shard->ReleaseShared();
  }
}

}  // namespace sluice
