// What the system lets this process have.
#pragma once

#include <cstddef>

namespace sluice::cli {

// Keeps the system from writing core dumps of this process, and other processes of the same user
// from reading its memory.
void ForbidCoreDumps();

// As many descriptors as the system lets the process have: the usual bound is below that of
// connections.
void RaiseDescriptorBound();

// How many processors the process may run on: all of them, or those it was confined to.
std::size_t UsableProcessors();

}  // namespace sluice::cli
