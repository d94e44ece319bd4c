// Slot and Bucket: the elements of a table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// The 56 bits of a key's hash that identify it within a shard. Never 0.
struct KeyHash {
  std::uint64_t bits = 1;
};

// One state: the key word, then the words of the state. A key word of 0 means an empty slot.
//
// Layout of the key word: 56 bits of the key's hash, then the 8-bit id of the terms that wrote it.
// words[0] shows, without the limit, whether the key is unused: a slot whose words[0] is at most a
// threshold that the caller derives from the time counts as empty.
template <std::size_t kWords>
struct Slot {
  std::uint64_t key = 0;
  std::uint64_t words[kWords] = {};
};

// Slots that are read together: as many as fit in one or two cache lines.
template <std::size_t kWords>
struct alignas(64) Bucket {
  static constexpr std::size_t kSlots = kWords == 2 ? 5 : 4;
  Slot<kWords> slots[kSlots];
};
static_assert(sizeof(Bucket<1>) == 64 && sizeof(Bucket<2>) == 128 && sizeof(Bucket<3>) == 128);

}  // namespace sluice
