// Limits as a snapshot holds them.
#pragma once

#include "sluice/limit.h"
#include "store/snapshot_file.h"

namespace sluice {

void WriteAlgorithm(Algorithm algorithm, SnapshotWriter& out);
void WriteSpec(const LimitSpec& spec, SnapshotWriter& out);

// What is read is a value of its type, or in.failed() is set. Whether the spec makes a limit is for
// MakeLimit to say.
Algorithm ReadAlgorithm(SnapshotReader& in);
LimitSpec ReadSpec(SnapshotReader& in);

}  // namespace sluice
