// Block: the states that are too large for a slot (logs, parts, permits), each in memory of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/limit.h"
#include "store/slot.h"

namespace sluice {

// What the entries of a block are.
enum class BlockKind : std::uint8_t {
  kLog,      // LogEntry
  kParts,    // std::int64_t
  kPermits,  // Permit
};
std::size_t EntryBytes(BlockKind kind);

// Where the content of a block comes from.
enum class BlockOrigin : std::uint8_t {
  kHere,      // decisions of this process
  kSnapshot,  // a file: not held against the terms of its key yet
};

// The head of a block; its entries follow in the same allocation.
//
// Ownership: made by Blocks::Make, owned by the slot that points to it, freed by Blocks::Free.
struct Block {
  std::uint64_t bytes = 0;     // of the whole allocation
  std::uint32_t capacity = 0;  // entries there is room for
  std::uint32_t head = 0;      // logs
  std::uint32_t size = 0;      // logs, permits
  BlockKind kind = BlockKind::kLog;
  BlockOrigin origin = BlockOrigin::kHere;
  std::int64_t newest = 0;  // parts
  std::int64_t units = 0;   // logs, parts

  template <typename Entry>
  [[nodiscard]] Entry* Entries() {
    static_assert(alignof(Entry) <= alignof(Block));
    return reinterpret_cast<Entry*>(this + 1);
  }
};

// The block that a slot points to, and making it point there.
inline Block* BlockOf(const Slot<2>& slot) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a slot is words, one of which is the address.
  return reinterpret_cast<Block*>(slot.words[1]);
}
inline void SetBlock(Block* block, Slot<2>& slot) {
  slot.words[1] = reinterpret_cast<std::uint64_t>(block);
}

// Makes and frees the blocks of one shard and counts their bytes.
//
// Thread safety: guarded by the shard's lock.
class Blocks {
 public:
  // A block with zeroed entries, or null if it would not fit below `bytes_max` in all.
  Block* Make(BlockKind kind, std::uint32_t capacity, std::size_t bytes_max);
  void Free(Block* block);

  [[nodiscard]] std::size_t Bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// The core's view of a block, and back.
LogState LogOf(Block* block);
PartsState PartsOf(Block* block);
PermitsState PermitsOf(Block* block);
void Store(const LogState& state, Block* block);
void Store(const PartsState& state, Block* block);
void Store(const PermitsState& state, Block* block);

}  // namespace sluice
