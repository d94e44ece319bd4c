// Finding: one thing that a command has looked at, and how it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace sluice::cli {

enum class Grade : std::uint8_t { kOk, kWarning, kFailure };

// A value. Nothing in it is secret.
struct Finding {
  Grade grade = Grade::kOk;
  std::string_view check;   // what was looked at: "version"
  std::string where = "";   // "127.0.0.1:6379"
  std::string found = "";   // the rest of a sentence about that
  std::string advice = "";  // what to do; empty where all is well
};

using Report = std::function<void(const Finding& finding)>;

// "ok"
std::string_view NameOf(Grade grade);

// One line, with its end: "ok       version      127.0.0.1:6379: Redis 7.0.15".
std::string FindingText(const Finding& finding, Ink ink);
// The same as one line of JSON.
std::string FindingJson(const Finding& finding);

}  // namespace sluice::cli
