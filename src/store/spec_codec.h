// A LimitSpec in a snapshot.
#pragma once

#include "sluice/limit.h"
#include "store/snapshot_file.h"

namespace sluice {

void WriteSpec(const LimitSpec& spec, SnapshotWriter& out);
LimitSpec ReadSpec(SnapshotReader& in);

}  // namespace sluice
