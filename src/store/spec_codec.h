// Serializes limit specs in snapshots.
#pragma once

#include "sluice/limit.h"
#include "store/snapshot_file.h"

namespace sluice {

void WriteAlgorithm(Algorithm algorithm, SnapshotWriter& out);
void WriteSpec(const LimitSpec& spec, SnapshotWriter& out);

// The result is a value of its type, or in.failed() is set. MakeLimit checks whether the spec makes
// a valid limit.
Algorithm ReadAlgorithm(SnapshotReader& in);
LimitSpec ReadSpec(SnapshotReader& in);

}  // namespace sluice
