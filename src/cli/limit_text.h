// A limit as it is written on the command line.
#pragma once

#include <string>
#include <string_view>

#include "sluice/limit.h"
#include "sluice/result.h"

namespace sluice::cli {

// A limit and how to call it in pictures and tables.
struct WrittenLimit {
  LimitSpec spec;
  std::string text;   // as it was written
  std::string title;  // "100/m", or "1/s, burst 5" for a mapping
};

// Reads the string form (100/m, with or without the quotes of JSON) or a mapping in JSON
// ({"rate":"1/s","burst":5}). An error has the line and column where the text is JSON.
Result<WrittenLimit> ReadLimitText(std::string_view text);

}  // namespace sluice::cli
