// LeaseTable: returns units to the remote store.
#include <algorithm>
#include <utility>

#include "remote/cache/lease_table.h"

namespace sluice {
namespace {

// A lease is returned after 1/kIdlePart of its life without spending.
constexpr std::int64_t kIdlePart = 4;

}  // namespace

bool LeaseTable::IsDue(const Entry& entry, const Lease& lot, Time now) {
  const Nanos idle = now - std::max(entry.spent_at, lot.since);
  return now >= lot.ends || idle >= entry.life / kIdlePart;
}

RemoteItem LeaseTable::ItemOf(const Entry& entry, const FleetKey& key, const PendingReturn& back) {
  RemoteItem item;
  item.terms = entry.terms;
  item.key = key;
  item.route = entry.route;
  item.cost = {back.units};
  item.bound = back.bound;
  return item;
}

void LeaseTable::TakeLots(Entry& entry, Which which, const FleetKey& key, Time now,
                          std::vector<RemoteItem>& items) {
  for (Lease& lot : entry.lots) {
    if (lot.units == 0 || (which == Which::kEnded && !IsDue(entry, lot, now))) continue;
    items.push_back(ItemOf(entry, key, {lot.units, lot.bound}));
    if (lot.granted > 0) entry.next = lot.granted - lot.units;
    entry.demand = 0;
    lot = Lease{};
  }
  DropSpent(entry);
  if (entry.back.units == 0 || now < entry.back_after) return;
  items.push_back(ItemOf(entry, key, std::exchange(entry.back, {})));
}

void LeaseTable::TakeKey(Entry& entry, Which which, const FleetKey& key, Time now,
                         ReturnBounds& max, std::vector<RemoteItem>& items) {
  if (which == Which::kAll || !entry.terms->is_retired()) {
    return TakeLots(entry, which, key, now, items);
  }
  if (max.retired_keys == 0) return;
  const std::size_t before = items.size();
  TakeLots(entry, Which::kAll, key, now, items);
  if (items.size() > before) --max.retired_keys;
}

bool LeaseTable::TakeReturns(Which which, ReturnBounds& max, Time now,
                             std::vector<RemoteItem>& items) {
  std::size_t looked = 0;
  const auto is_enough = [&] {
    return looked >= max.walk.keys || items.size() + kItemsOfKey > max.walk.items;
  };
  for (; shard_ < KeyTable<Entry>::kShards; ++shard_, place_ = 0) {
    if (is_enough()) return false;
    if (place_ == 0) table_.TakeList(shard_, keys_);
    for (; place_ < keys_.size(); ++place_, ++looked) {
      if (is_enough()) return false;
      const FleetKey& key = keys_[place_];
      table_.Find(key, [&](Entry& entry, auto& list) {
        entry.is_listed = false;
        TakeKey(entry, which, key, now, max, items);
        if (HasUnits(entry)) List(entry, key, list);
      });
    }
  }
  shard_ = 0;
  return true;
}

}  // namespace sluice
