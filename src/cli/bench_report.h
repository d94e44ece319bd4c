// What `sluice bench` prints.
#pragma once

#include <cstdint>
#include <string>

#include "cli/bench_arguments.h"
#include "cli/terminal.h"
#include "load/measurements.h"

namespace sluice::cli {

// For people: what was sent, what was answered, latencies, and what was expected.
std::string BenchText(const BenchArguments& arguments, const LoadReport& report, Ink ink);

// For programs: the same as one line of JSON. Latencies are in nanoseconds.
std::string BenchJson(const BenchArguments& arguments, const LoadReport& report);

// A line about one second of the run, the `number`-th.
std::string ProgressLine(std::uint64_t number, const LoadReport& second);

// A line for each expectation that is not met; empty if all are.
std::string UnmetLines(const BenchArguments& arguments, const LoadReport& report);

}  // namespace sluice::cli
