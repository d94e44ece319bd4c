#include "store/block.h"

#include <cstdlib>
#include <new>

namespace sluice {
namespace {

// The allocator's overhead per block, approximately.
constexpr std::size_t kAllocationOverhead = 16;

}  // namespace

std::size_t EntryBytes(BlockKind kind) {
  switch (kind) {
    case BlockKind::kLog:
      return sizeof(LogEntry);
    case BlockKind::kParts:
      return sizeof(std::int64_t);
    case BlockKind::kPermits:
      break;
  }
  return sizeof(Permit);
}

Block* Blocks::Make(BlockKind kind, std::uint32_t capacity, std::size_t bytes_max) {
  const std::size_t bytes = sizeof(Block) + EntryBytes(kind) * capacity;
  if (bytes_ + bytes + kAllocationOverhead > bytes_max) return nullptr;
  void* const memory = std::calloc(1, bytes);
  if (memory == nullptr) return nullptr;
  bytes_ += bytes + kAllocationOverhead;
  auto* const block = new (memory) Block;
  block->bytes = bytes;
  block->capacity = capacity;
  block->kind = kind;
  return block;
}

void Blocks::Free(Block* block) {
  if (block == nullptr) return;
  bytes_ -= block->bytes + kAllocationOverhead;
  std::free(block);
}

LogState LogOf(Block* block) {
  return {{block->Entries<LogEntry>(), block->capacity}, block->head, block->size, block->units};
}

PartsState PartsOf(Block* block) {
  return {{block->Entries<std::int64_t>(), block->capacity}, block->newest, block->units};
}

PermitsState PermitsOf(Block* block) {
  return {{block->Entries<Permit>(), block->capacity}, block->size};
}

void Store(const LogState& state, Block* block) {
  block->head = state.head;
  block->size = state.size;
  block->units = state.units;
}

void Store(const PartsState& state, Block* block) {
  block->newest = state.newest;
  block->units = state.units;
}

void Store(const PermitsState& state, Block* block) { block->size = state.size; }

}  // namespace sluice
