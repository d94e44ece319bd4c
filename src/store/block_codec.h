// Blocks as a snapshot holds them: kind, entries, the index of the newest part, then the entries in
// order.
#pragma once

#include <cstddef>

#include "sluice/result.h"
#include "store/block.h"
#include "store/snapshot_file.h"

namespace sluice {

// The error of a snapshot whose states take more memory than the store has.
Error StatesDoNotFit();

void WriteBlock(Block* block, SnapshotWriter& out);

// Reads a block, whose origin is kSnapshot. Null if its entries make no state of their kind.
// An error if the file cannot be read on, or if the block does not fit below `bytes_max`.
// ENSURES: it has entries; those of logs and permits are in order of time and none is before 1970;
// no entry holds less than 1 unit (of parts: 0), and all together 1 to 4 * kUnitsMost.
Result<Block*> ReadBlock(Blocks& blocks, std::size_t bytes_max, SnapshotReader& in);

}  // namespace sluice
