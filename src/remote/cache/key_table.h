// KeyTable: a sharded, bounded hash table of what a node remembers about remote keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "remote/cache/memory_budget.h"
#include "store/fleet_key.h"
#include "store/shard_lock.h"

namespace sluice {

// Limits how much of a table one walk step processes.
struct WalkBounds {
  std::size_t keys = 0;   // keys visited, at most
  std::size_t items = 0;  // items produced, at most
};

// Maps keys to entries in 64 shards, each with its own lock that is held only briefly. Each shard
// also has a list of keys that a later walk must visit.
//
// Thread safety: every method may be called from any thread. Callbacks run under the lock of the
// entry's shard, so they must be short and must not use the table.
// Cost: access to a known key takes no allocation.
//
// Invariants
//   (1) There are never more entries than `most`, rounded up to a multiple of the number of shards.
//       They take at most `bytes_max`, including their slots and twice their space in the list. If
//       there is no room, new keys are not remembered. While a shard doubles its slots, the old
//       ones exist in addition.
//   (2) A key has one entry.
//   (3) An entry's own heap memory is counted in its `heap_bytes` and in the table's budget, by the
//       code that changes it.
template <typename Entry>
class KeyTable {
 public:
  static constexpr std::size_t kShards = 64;
  using List = std::vector<FleetKey>;

  static constexpr std::int64_t kBytesUnbounded = std::numeric_limits<std::int64_t>::max();

  explicit KeyTable(std::size_t max, std::int64_t bytes_max = kBytesUnbounded)
      : max_in_shard_((max + kShards - 1) / kShards), budget_(bytes_max) {}

  [[nodiscard]] MemoryBudget& budget() { return budget_; }
  [[nodiscard]] const MemoryBudget& budget() const { return budget_; }

  // Calls f(entry, list of the shard). Returns false if the key is not known.
  template <typename F>
  bool Find(const FleetKey& key, F f) {
    Shard& shard = shards_[ShardOf(key)];
    const Hold hold(shard.lock);
    Slot* const slot = shard.Find(key);
    if (slot == nullptr) return false;
    f(*slot->entry, shard.list);
    return true;
  }

  // Like Find, but adds an entry if the key is not known. Returns false if there is no room for it.
  template <typename F>
  bool FindOrAdd(const FleetKey& key, F f) {
    Shard& shard = shards_[ShardOf(key)];
    const Hold hold(shard.lock);
    Slot* slot = shard.Find(key);
    if (slot == nullptr) {
      if (shard.entries >= max_in_shard_ || !budget_.Take(BytesToAdd(shard))) return false;
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

  // Takes the list of a shard. The memory of `keys` becomes the shard's next list.
  void TakeList(std::size_t shard_index, List& keys) {
    Shard& shard = shards_[shard_index];
    keys.clear();
    const Hold hold(shard.lock);
    keys.swap(shard.list);
  }

  // Visits about `places` slots from where the last call ended, and erases the entries for which
  // drop(entry) returns true. Returns true when it has reached the end of the table; the next call
  // starts over. Only one caller at a time.
  template <typename F>
  bool Sweep(std::size_t places, F drop) {
    while (places > 0) {
      const std::size_t looked = SweepShard(places, drop);
      places -= std::min(places, looked + 1);
      if (swept_shard_ == 0 && swept_place_ == 0) return true;
    }
    return false;
  }

  // Calls f(entry) for every key, shard by shard.
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
    std::unique_ptr<Entry> entry;  // null: the slot is free
  };

  // Open addressing with linear probing: a key is in the first free slot from the one its hash
  // names.
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
    // Returns the number of slots needed to hold one more entry.
    [[nodiscard]] std::size_t PlacesToAdd() const {
      if (2 * (entries + 1) <= slots.size()) return slots.size();
      return std::max<std::size_t>(kMin, 2 * slots.size());
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
    // Moves up later entries, so that no key is behind a free slot at which its search would stop.
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

    static constexpr std::size_t kMin = 8;

    ShardLock lock;
    std::size_t entries = 0;
    std::vector<Slot> slots;  // the size is a power of two; at most half are in use
    List list;
  };

  // Bytes per entry: includes the allocator's overhead, and its key in a list that may be half
  // full.
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

  // Returns how many slots it visited.
  template <typename F>
  std::size_t SweepShard(std::size_t places, F drop) {
    Shard& shard = shards_[swept_shard_];
    const Hold hold(shard.lock);
    std::size_t looked = 0;
    while (looked < places && swept_place_ < shard.slots.size()) {
      ++looked;
      const Slot& slot = shard.slots[swept_place_];
      if (slot.entry != nullptr && drop(*slot.entry)) {
        EraseAt(shard, swept_place_);  // another entry may have moved here: look again
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
  const std::size_t max_in_shard_;
  MemoryBudget budget_;
  // Position of Sweep.
  std::size_t swept_shard_ = 0;
  std::size_t swept_place_ = 0;
};

}  // namespace sluice
