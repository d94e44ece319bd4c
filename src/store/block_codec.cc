#include "store/block_codec.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::uint32_t kEntriesAtFirst = 4;
constexpr std::uint32_t kMaxEntries = std::uint32_t{1} << 30U;
constexpr std::int64_t kMaxUnitsInBlock = 4 * kMaxUnits;

// Adds up units and checks that each entry has at least `least`. Returns false if an entry has too
// few or the sum becomes too large.
class UnitSum {
 public:
  explicit UnitSum(std::int64_t min) : min_(min) {}

  bool Add(std::int64_t units) {
    if (units < min_ || units > kMaxUnitsInBlock - sum_) return false;
    sum_ += units;
    return true;
  }
  [[nodiscard]] std::int64_t sum() const { return sum_; }

 private:
  std::int64_t min_;
  std::int64_t sum_ = 0;
};

bool Accept(LogState& log, UnitSum& sum) {
  Time before{};
  for (std::uint32_t i = 0; i < log.size; ++i) {
    const LogEntry& entry = log.At(i);
    if (entry.at < before || !sum.Add(entry.units)) return false;
    before = entry.at;
  }
  log.units = sum.sum();
  return true;
}

bool Accept(const PermitsState& permits, UnitSum& sum) {
  Time before{};
  for (const Permit& permit : permits.permits.first(permits.size)) {
    if (permit.deadline < before || !sum.Add(permit.units)) return false;
    before = permit.deadline;
  }
  return true;
}

bool Accept(PartsState& parts, UnitSum& sum) {
  for (const std::int64_t units : parts.parts) {
    if (!sum.Add(units)) return false;
  }
  parts.units = sum.sum();
  return true;
}

// Returns whether the entries of the block form a valid state, and fills in the header fields that
// are derived from them.
bool Accept(Block* block, std::uint32_t entries) {
  UnitSum sum(block->kind == BlockKind::kParts ? 0 : 1);
  bool accepted = false;
  switch (block->kind) {
    case BlockKind::kLog: {
      block->size = entries;
      LogState log = LogOf(block);
      accepted = Accept(log, sum);
      Store(log, block);
      break;
    }
    case BlockKind::kParts: {
      PartsState parts = PartsOf(block);
      accepted = Accept(parts, sum);
      Store(parts, block);
      break;
    }
    case BlockKind::kPermits:
      block->size = entries;
      accepted = Accept(PermitsOf(block), sum);
      break;
  }
  return accepted && sum.sum() > 0;
}

std::uint32_t CapacityFor(BlockKind kind, std::uint32_t entries) {
  return kind == BlockKind::kParts ? entries : std::max(kEntriesAtFirst, std::bit_ceil(entries));
}

}  // namespace

Error StatesDoNotFit() {
  return {"the snapshot's states do not fit; expected a larger memory limit"};
}

void WriteBlock(Block* block, SnapshotWriter& out) {
  const bool is_parts = block->kind == BlockKind::kParts;
  out.Number(block->kind);
  out.Number(is_parts ? block->capacity : block->size);
  out.Number(block->newest);
  if (block->kind == BlockKind::kLog) {
    const LogState log = LogOf(block);
    for (std::uint32_t i = 0; i < log.size; ++i) out.Number(log.At(i));
    return;
  }
  const std::size_t entries = is_parts ? block->capacity : block->size;
  out.Bytes(block + 1, EntryBytes(block->kind) * entries);
}

Result<Block*> ReadBlock(Blocks& blocks, std::size_t bytes_max, SnapshotReader& in) {
  const auto kind = in.Number<std::uint8_t>();
  const auto entries = in.Number<std::uint32_t>();
  const auto newest = in.Number<std::int64_t>();
  if (in.failed()) return Error{"the snapshot ends too early"};
  if (kind > static_cast<std::uint8_t>(BlockKind::kPermits) || entries > kMaxEntries) {
    return Error{"the snapshot has a block of no known kind or size"};
  }
  const auto known = static_cast<BlockKind>(kind);
  Block* const block = blocks.Make(known, CapacityFor(known, entries), bytes_max);
  if (block == nullptr) return StatesDoNotFit();
  block->origin = BlockOrigin::kSnapshot;
  block->newest = newest;
  in.Bytes(block + 1, EntryBytes(known) * entries);
  if (!in.failed() && Accept(block, entries)) return block;
  blocks.Free(block);
  if (in.failed()) return Error{"the snapshot ends too early"};
  return static_cast<Block*>(nullptr);
}

}  // namespace sluice
