// Report: prints the measurements as a table or as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/growth.h"
#include "bench/measure.h"
#include "bench/subject.h"

namespace sluice::bench {

// One row of the table.
struct Row {
  std::string algorithm;
  std::string choice;  // the distribution of keys, or another property of the row
  std::uint64_t keys = 0;
  std::vector<Cell> cells{};
  std::optional<Footprint> footprint{};
  // Why the row did not measure what its name says; empty if it did.
  std::string warning{};
};

struct Report {
  std::string machine;
  std::size_t cores = 1;
  std::vector<Row> rows;
  std::optional<Growth> growth;
  std::vector<std::string> notes;  // omitted measurements, and why
};

// PrintHead, then PrintRow for each row while measuring, then PrintRest print the table.
void PrintHead(const Report& report);
void PrintRow(const Report& report, const Row& row);
void PrintRest(const Report& report);

void PrintJson(const Report& report);

}  // namespace sluice::bench
