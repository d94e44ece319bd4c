// The reports of `sluice bench`.
#pragma once

#include <cstdint>
#include <string>

#include "cli/bench/bench_arguments.h"
#include "console/terminal.h"
#include "load/measurements.h"

namespace sluice::cli {

// Formats the report for people: the load, the counts of answers, latencies and expectations.
std::string BenchText(const BenchArguments& arguments, const LoadReport& report, ColorMode ink);

// Formats the report for programs, as one line of JSON. Latencies are in nanoseconds.
std::string BenchJson(const BenchArguments& arguments, const LoadReport& report);

// Returns a line about second `number` of the run.
std::string ProgressLine(std::uint64_t number, const LoadReport& second);

// Returns a line for each expectation that is not met; empty if all are met.
std::string UnmetLines(const BenchArguments& arguments, const LoadReport& report);

}  // namespace sluice::cli
