// What the system knows of a process, as /proc tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "admin/metrics_text.h"
#include "sluice/time.h"

namespace sluice {

// Of one process. What could not be read is not there.
struct ProcessNumbers {
  std::optional<Nanos> cpu;  // used so far, of its own and in the kernel
  std::optional<Time> started;
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> virtual_bytes;
  std::optional<std::uint64_t> open_descriptors;
  std::optional<std::uint64_t> most_descriptors;
};

// Reads the numbers of this process; `proc` is where /proc is mounted.
ProcessNumbers ReadProcess(const std::string& proc);

// The metrics that every program has: process_cpu_seconds_total and so on.
void AppendProcessMetrics(const ProcessNumbers& numbers, MetricsText& out);

}  // namespace sluice
