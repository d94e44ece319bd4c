// Stash: the few keys of a table that did not fit in their buckets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "store/slot.h"

namespace sluice {

// A small unordered set of slots, searched linearly.
//
// Thread safety: guarded by the shard's lock.
template <std::size_t kWords>
class Stash {
 public:
  using SlotType = Slot<kWords>;

  // Added keys leave room for the keys of two re-placed buckets: a full stash must not keep the
  // table from growing, which is what empties the stash.
  static constexpr std::size_t kForAdded = 16;
  static constexpr std::size_t kSlots = kForAdded + 2 * Bucket<kWords>::kSlots;

  [[nodiscard]] std::size_t size() const { return size_; }

  // Returns the slot of a key, or null.
  [[nodiscard]] SlotType* Find(KeyHash hash) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (slots_[i].key >> 8U == hash.bits) return &slots_[i];
    }
    return nullptr;
  }
  [[nodiscard]] bool Holds(const SlotType& slot) const {
    return &slot >= slots_.data() && &slot < slots_.data() + size_;
  }

  // Returns a slot for one more key; null if there are `max` already. REQUIRES: max <= kSlots.
  SlotType* Take(std::size_t max) { return size_ < max ? &slots_[size_++] : nullptr; }

  // REQUIRES: Holds(slot). Pointers to other slots may refer to other keys afterwards.
  void Erase(SlotType& slot) {
    slot = slots_[--size_];
    slots_[size_] = SlotType{};
  }

  // Returns the slots in turn, one per call. REQUIRES: the stash is not empty.
  SlotType& Next() { return slots_[next_++ % size_]; }

  template <typename Visit>
  void ForEach(Visit visit) {
    for (std::size_t i = 0; i < size_; ++i) visit(slots_[i]);
  }

 private:
  std::size_t size_ = 0;
  std::size_t next_ = 0;  // modulo size_
  std::array<SlotType, kSlots> slots_{};
};

}  // namespace sluice
