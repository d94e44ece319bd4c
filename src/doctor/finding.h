// Finding: the result of one check.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "console/terminal.h"

namespace sluice::cli {

enum class Grade : std::uint8_t { kOk, kWarning, kFailure };

// Plain data. Contains no secrets.
struct Finding {
  Grade grade = Grade::kOk;
  std::string_view check;   // the name of the check: "version"
  std::string where = "";   // "127.0.0.1:6379"
  std::string found = "";   // completes a sentence that begins with `where`
  std::string advice = "";  // what to do; empty if all is well
};

using Report = std::function<void(const Finding& finding)>;

// Returns the name of a grade: "ok".
std::string_view NameOf(Grade grade);

// Returns one line with a line end: "ok       version      127.0.0.1:6379: Redis 7.0.15".
std::string FindingText(const Finding& finding, ColorMode ink);
// Returns the finding as one line of JSON.
std::string FindingJson(const Finding& finding);

}  // namespace sluice::cli
