// Limits that the operating system sets for this process.
#pragma once

#include <cstddef>

namespace sluice::cli {

// Prevents core dumps of this process, and keeps other processes of the same user from reading its
// memory.
void ForbidCoreDumps();

// Raises the limit of open descriptors to the hard limit, because the usual soft limit is below the
// maximum number of connections.
void RaiseDescriptorBound();

// Returns the number of processors that the process may run on, considering its CPU affinity.
std::size_t UsableProcessors();

}  // namespace sluice::cli
