// Machine: what the numbers were measured on, and how time and memory are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::bench {

// One line: CPU, cores, large pages, compiler, flags, commit.
std::string DescribeMachine();

// Cores this process may run on.
std::size_t CoreCount();

// Keeps the calling thread on the index-th of those. False if the system does not let it.
bool PinToCore(std::size_t index);

// Memory that can still be taken without swapping, in bytes; the control group's limit counts.
std::uint64_t MemoryAvailable();

// VmRSS of this process, in bytes. Freed memory that the allocator still holds is given back first
// by ReturnFreedMemory, so that one measurement does not count what another left behind.
std::uint64_t ResidentBytes();
void ReturnFreedMemory();

// Seconds of the wall, and of CPU time of the calling thread.
double WallSeconds();
double ThreadCpuSeconds();

// The processor's own counter where there is one (reading it takes a few nanoseconds), else
// nanoseconds. Ordered: what comes before in the program is done before it is read.
std::uint64_t Ticks();

}  // namespace sluice::bench
