// The outcome of one trace under several limits, side by side.
#pragma once

#include <span>
#include <string>

#include "cli/tally.h"
#include "cli/terminal.h"

namespace sluice::cli {

// One row: a limit and what became of the trace.
struct ComparedLimit {
  std::string title;  // for the table
  std::string text;   // as it was written, for programs
  Tally tally;
};

// A table for people: columns aligned, times in the unit that suits them.
std::string CompareTable(std::span<const ComparedLimit> limits, Ink ink);

// The same for programs: one line of JSON, times in nanoseconds.
std::string CompareJson(std::span<const ComparedLimit> limits);

}  // namespace sluice::cli
