// Compares the results of one trace under several limits.
#pragma once

#include <span>
#include <string>

#include "console/terminal.h"
#include "simulate/tally.h"

namespace sluice::cli {

// The result of the trace under one limit.
struct ComparedLimit {
  std::string title;  // title in the table
  std::string text;   // as it was given, for the JSON output
  Tally tally;
};

// Returns a table for people, with durations in suitable units.
std::string CompareTable(std::span<const ComparedLimit> limits, ColorMode ink);

// Returns one line of JSON for programs, with times in nanoseconds.
std::string CompareJson(std::span<const ComparedLimit> limits);

}  // namespace sluice::cli
