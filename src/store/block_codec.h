// Serializes blocks in snapshots: kind, number of entries, index of the newest part, then the
// entries in order.
#pragma once

#include <cstddef>

#include "core/limit/rate.h"
#include "sluice/result.h"
#include "store/block.h"
#include "store/snapshot_file.h"

namespace sluice {

// Returns the error for a snapshot whose states need more memory than the store has.
Error StatesDoNotFit();

void WriteBlock(Block* block, SnapshotWriter& out);

// Reads a block and sets its origin to kSnapshot. Returns null if its entries form no valid state
// of their kind. Returns an error if the file cannot be read or if the block would exceed
// `bytes_max`. ENSURES: the block has entries; those of logs and permits are in order of time and
// none is before 1970; every entry holds at least 1 unit (a part: 0), and all together hold 1 to 4
// * kMaxUnits.
Result<Block*> ReadBlock(Blocks& blocks, std::size_t bytes_max, SnapshotReader& in);

}  // namespace sluice
