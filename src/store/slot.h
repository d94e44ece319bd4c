// Slot and Bucket: what a table is made of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

// The 56 bits of a key's hash that tell it apart within a shard. Never 0.
struct KeyHash {
  std::uint64_t bits = 1;
};

// One state: the key word, then the words of the state. A key word of 0 is an empty slot.
//
// Layout of the key word: 56 bits of the key's hash, then 8 bits naming the terms that wrote it.
// words[0] says, without the limit, from when on the key is unused: a slot whose words[0] is at
// most a threshold that the caller works out from the time is as if empty.
template <std::size_t kWords>
struct Slot {
  std::uint64_t key = 0;
  std::uint64_t words[kWords] = {};
};

// Slots that are read together: as many as fit one or two cache lines.
template <std::size_t kWords>
struct alignas(64) Bucket {
  static constexpr std::size_t kSlots = kWords == 2 ? 5 : 4;
  Slot<kWords> slots[kSlots];
};
static_assert(sizeof(Bucket<1>) == 64 && sizeof(Bucket<2>) == 128 && sizeof(Bucket<3>) == 128);

}  // namespace sluice
