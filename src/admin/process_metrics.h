// Process metrics read from /proc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "admin/metrics_text.h"
#include "sluice/time.h"

namespace sluice {

// The values of one process. A value that could not be read is not set.
struct ProcessNumbers {
  std::optional<Nanos> cpu;  // CPU time used so far, in user and kernel mode
  std::optional<Time> started;
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> virtual_bytes;
  std::optional<std::uint64_t> open_descriptors;
  std::optional<std::uint64_t> max_descriptors;
};

// Reads the values of this process; `proc` is the mount point of /proc.
ProcessNumbers ReadProcess(const std::string& proc);

// Appends the standard process metrics: process_cpu_seconds_total and so on.
void AppendProcessMetrics(const ProcessNumbers& numbers, MetricsText& out);

}  // namespace sluice
