// Reads a limit as it is given on the command line.
#pragma once

#include <string>
#include <string_view>

#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::cli {

// A limit and its title in plots and tables.
struct WrittenLimit {
  LimitSpec spec;
  std::string text;   // as it was given
  std::string title;  // "100/m", or "1/s, burst 5" for a mapping
};

// Reads a limit in string form (100/m, with or without JSON quotes) or as a JSON mapping
// ({"rate":"1/s","burst":5}). For JSON, the error starts with the line and column.
Result<WrittenLimit> ReadLimitText(std::string_view text);

}  // namespace sluice::cli
