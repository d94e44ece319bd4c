// KeyTable: what a node remembers of keys that a remote keeps, sharded and bounded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "remote/memory_budget.h"
#include "store/fleet_key.h"
#include "store/shard_lock.h"

namespace sluice {

// How much of a table is gone through at once.
struct WalkBounds {
  std::size_t keys = 0;   // that are looked at
  std::size_t items = 0;  // that come of them, at most
};

// Entries by key, in 64 shards under a short lock each. Beside its entries a shard has a list of
// keys that somebody wants to come back to.
//
// Thread safety: every method from any thread; what is called with an entry runs under the lock of
// its shard, so it is short and does not use the table.
// Cost: a key that is known takes no allocation.
//
// Invariants
//   (1) There are never more entries than `most`, rounded up to a multiple of the shards, nor do
//       they take more than `bytes_max`, with the places that they stand in and twice their place
//       in the list. What is new then is not remembered. While a shard doubles its places, the old
//       ones are there, too.
//   (2) A key has one entry.
//   (3) Memory that an entry has of its own is counted in its `heap_bytes`, by whoever changes
//   that,
//       in the budget of the table.
template <typename Entry>
class KeyTable {
 public:
  static constexpr std::size_t kShards = 64;
  using List = std::vector<FleetKey>;

  static constexpr std::int64_t kBytesUnbounded = std::numeric_limits<std::int64_t>::max();

  explicit KeyTable(std::size_t most, std::int64_t bytes_max = kBytesUnbounded)
      : most_in_shard_((most + kShards - 1) / kShards), budget_(bytes_max) {}

  [[nodiscard]] MemoryBudget& budget() { return budget_; }
  [[nodiscard]] const MemoryBudget& budget() const { return budget_; }

  // Calls f(entry, list of the shard). False where the key is not known.
  template <typename F>
  bool Find(const FleetKey& key, F f) {
    Shard& shard = shards_[ShardOf(key)];
    const Hold hold(shard.lock);
    Slot* const slot = shard.Find(key);
    if (slot == nullptr) return false;
    f(*slot->entry, shard.list);
    return true;
  }

  // The same, of a new entry where the key is not known. False where there is no room for it.
  template <typename F>
  bool FindOrAdd(const FleetKey& key, F f) {
    Shard& shard = shards_[ShardOf(key)];
    const Hold hold(shard.lock);
    Slot* slot = shard.Find(key);
    if (slot == nullptr) {
      if (shard.entries >= most_in_shard_ || !budget_.Take(BytesToAdd(shard))) return false;
      slot = &shard.Add(key);
    }
    f(*slot->entry, shard.list);
    return true;
  }

  void Erase(const FleetKey& key) {
    Shard& shard = shards_[ShardOf(key)];
    const Hold hold(shard.lock);
    if (Slot* const slot = shard.Find(key)) {
      EraseAt(shard, static_cast<std::size_t>(slot - shard.slots.data()));
    }
  }

  // Takes the list of a shard; `keys` is the memory of its next one.
  void TakeList(std::size_t shard_index, List& keys) {
    Shard& shard = shards_[shard_index];
    keys.clear();
    const Hold hold(shard.lock);
    keys.swap(shard.list);
  }

  // Looks at about `places` places of the table, from where the last call ended, and drops the
  // entries of which drop(entry) is true. True once it has come to the end: then it begins again.
  // One caller at a time.
  template <typename F>
  bool Sweep(std::size_t places, F drop) {
    while (places > 0) {
      const std::size_t looked = SweepShard(places, drop);
      places -= std::min(places, looked + 1);
      if (swept_shard_ == 0 && swept_place_ == 0) return true;
    }
    return false;
  }

  // Calls f(entry) of every key, shard by shard.
  template <typename F>
  void ForEach(F f) {
    for (Shard& shard : shards_) {
      const Hold hold(shard.lock);
      for (Slot& slot : shard.slots) {
        if (slot.entry != nullptr) f(*slot.entry);
      }
    }
  }

  [[nodiscard]] std::size_t SizeApproxForTest() {
    std::size_t sum = 0;
    for (Shard& shard : shards_) {
      const Hold hold(shard.lock);
      sum += shard.entries;
    }
    return sum;
  }

  static constexpr std::size_t ShardOf(const FleetKey& key) { return key.high >> 58U; }

 private:
  static_assert(kShards == 64);  // ShardOf takes 6 bits

  class Hold {
   public:
    explicit Hold(ShardLock& lock) : lock_(lock) { lock_.Lock(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { lock_.Unlock(); }

   private:
    ShardLock& lock_;
  };

  struct Slot {
    FleetKey key;
    std::unique_ptr<Entry> entry;  // null: the place is free
  };

  // Open addressing: a key stands at the first free place from the one its hash names.
  struct alignas(64) Shard {
    [[nodiscard]] std::size_t PlaceOf(const FleetKey& key) const {
      return key.low & (slots.size() - 1);
    }
    [[nodiscard]] std::size_t After(std::size_t place) const {
      return (place + 1) & (slots.size() - 1);
    }
    Slot* Find(const FleetKey& key) {
      if (slots.empty()) return nullptr;
      std::size_t place = PlaceOf(key);
      while (slots[place].entry != nullptr) {
        if (slots[place].key == key) return &slots[place];
        place = After(place);
      }
      return nullptr;
    }
    Slot& Put(Slot&& slot) {
      std::size_t place = PlaceOf(slot.key);
      while (slots[place].entry != nullptr) place = After(place);
      slots[place] = std::move(slot);
      return slots[place];
    }
    // How many places there are once there is room for one more entry.
    [[nodiscard]] std::size_t PlacesToAdd() const {
      if (2 * (entries + 1) <= slots.size()) return slots.size();
      return std::max<std::size_t>(kLeast, 2 * slots.size());
    }
    Slot& Add(const FleetKey& key) {
      if (PlacesToAdd() != slots.size()) {
        std::vector<Slot> before(PlacesToAdd());
        before.swap(slots);
        for (Slot& slot : before) {
          if (slot.entry != nullptr) Put(std::move(slot));
        }
      }
      ++entries;
      return Put({key, std::make_unique<Entry>()});
    }
    // Those behind move up, so that none stands behind a free place it would be looked for at.
    void EraseAt(std::size_t place) {
      slots[place].entry.reset();
      --entries;
      for (std::size_t next = After(place); slots[next].entry != nullptr; next = After(next)) {
        const std::size_t home = PlaceOf(slots[next].key);
        const std::size_t mask = slots.size() - 1;
        if (((next - home) & mask) < ((next - place) & mask)) continue;
        slots[place] = std::move(slots[next]);
        place = next;
      }
    }

    static constexpr std::size_t kLeast = 8;

    ShardLock lock;
    std::size_t entries = 0;
    std::vector<Slot> slots;  // a power of two, at most half of them in use
    List list;
  };

  // Of an entry: what the allocator adds, and its key in a list, which may be half full.
  static constexpr std::int64_t kEntryBytes =
      static_cast<std::int64_t>(sizeof(Entry) + 16 + 2 * sizeof(FleetKey));

  static std::int64_t BytesToAdd(const Shard& shard) {
    const std::size_t places = shard.PlacesToAdd() - shard.slots.size();
    return kEntryBytes + static_cast<std::int64_t>(places * sizeof(Slot));
  }
  void EraseAt(Shard& shard, std::size_t place) {
    std::int64_t bytes = kEntryBytes;
    if constexpr (requires(const Entry& entry) { entry.heap_bytes; }) {
      bytes += shard.slots[place].entry->heap_bytes;
    }
    shard.EraseAt(place);
    budget_.Release(bytes);
  }

  // How many places it looked at.
  template <typename F>
  std::size_t SweepShard(std::size_t places, F drop) {
    Shard& shard = shards_[swept_shard_];
    const Hold hold(shard.lock);
    std::size_t looked = 0;
    while (looked < places && swept_place_ < shard.slots.size()) {
      ++looked;
      const Slot& slot = shard.slots[swept_place_];
      if (slot.entry != nullptr && drop(*slot.entry)) {
        EraseAt(shard, swept_place_);  // another may have moved here: look again
      } else {
        ++swept_place_;
      }
    }
    if (swept_place_ >= shard.slots.size()) {
      swept_place_ = 0;
      swept_shard_ = (swept_shard_ + 1) % kShards;
    }
    return looked;
  }

  std::array<Shard, kShards> shards_;
  const std::size_t most_in_shard_;
  MemoryBudget budget_;
  // Of the sweep.
  std::size_t swept_shard_ = 0;
  std::size_t swept_place_ = 0;
};

}  // namespace sluice
