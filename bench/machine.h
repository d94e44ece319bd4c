// Machine: describes the machine under test, and reads time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::bench {

// Returns one line: CPU, cores, large pages, compiler, flags, commit.
std::string DescribeMachine();

// Returns the number of cores this process may run on.
std::size_t CoreCount();

// Pins the calling thread to the index-th of those cores. Returns false if the system refuses.
bool PinToCore(std::size_t index);

// Returns the bytes that can still be allocated without swapping, within the limit of the control
// group.
std::uint64_t MemoryAvailable();

// ResidentBytes returns VmRSS of this process, in bytes. Call ReturnFreedMemory first: it makes the
// allocator release freed memory, so that a measurement does not count what an earlier one left
// behind.
std::uint64_t ResidentBytes();
void ReturnFreedMemory();

// Return wall clock seconds, and CPU seconds of the calling thread.
double WallSeconds();
double ThreadCpuSeconds();

// Reads the processor's cycle counter (which takes a few nanoseconds), or nanoseconds if it has
// none. The read is ordered: everything earlier in program order has completed before it.
std::uint64_t Ticks();

}  // namespace sluice::bench
