// Report: what was measured, as a table or as JSON.
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
  std::string choice;  // how keys were chosen, or what else is special
  std::uint64_t keys = 0;
  std::vector<Cell> cells{};
  std::optional<Footprint> footprint{};
  std::string warning{};  // why the numbers are not what the row's name says; or empty
};

struct Report {
  std::string machine;
  std::size_t cores = 1;
  std::vector<Row> rows;
  std::optional<Growth> growth;
  std::vector<std::string> notes;  // what was left out, and why
};

// The table is printed as it is measured: the head, then a row at a time, then the rest.
void PrintHead(const Report& report);
void PrintRow(const Report& report, const Row& row);
void PrintRest(const Report& report);

void PrintJson(const Report& report);

}  // namespace sluice::bench
