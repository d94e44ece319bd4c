// Block: a separately allocated state that is too large for a slot (logs, parts, permits).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/limit/limit.h"
#include "store/slot.h"

namespace sluice {

// The type of the entries in a block.
enum class BlockKind : std::uint8_t {
  kLog,      // LogEntry
  kParts,    // std::int64_t
  kPermits,  // Permit
};
std::size_t EntryBytes(BlockKind kind);

// Where the content of a block was written.
enum class BlockOrigin : std::uint8_t {
  kHere,      // by a decision of this process
  kSnapshot,  // in a snapshot file; not yet checked against the terms of its key
};

// The header of a block; its entries follow in the same allocation.
//
// Ownership: made by Blocks::Make, owned by the slot that points to it, freed by Blocks::Free.
struct Block {
  std::uint64_t bytes = 0;     // size of the whole allocation
  std::uint32_t capacity = 0;  // maximum number of entries
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

// Read and write the block pointer of a slot.
inline Block* BlockOf(const Slot<2>& slot) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a slot is words, one of which is the address.
  return reinterpret_cast<Block*>(slot.words[1]);
}
inline void SetBlock(Block* block, Slot<2>& slot) {
  slot.words[1] = reinterpret_cast<std::uint64_t>(block);
}

// Allocates and frees the blocks of one shard and counts their bytes.
//
// Thread safety: guarded by the shard's lock.
class Blocks {
 public:
  // Returns a block with zeroed entries, or null if all blocks together would exceed `bytes_max`.
  Block* Make(BlockKind kind, std::uint32_t capacity, std::size_t bytes_max);
  void Free(Block* block);

  [[nodiscard]] std::size_t Bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Convert between a block and the state that the core's algorithms work on.
LogState LogOf(Block* block);
PartsState PartsOf(Block* block);
PermitsState PermitsOf(Block* block);
void Store(const LogState& state, Block* block);
void Store(const PartsState& state, Block* block);
void Store(const PermitsState& state, Block* block);

}  // namespace sluice
