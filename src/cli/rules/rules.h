// `sluice rules`: checks, shows and compares rule files.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the subcommand that the arguments name; returns the exit code.
int RunRules(std::span<const std::string_view> args, Console& console);

// Returns the text of `sluice rules --help`.
std::string_view RulesHelp();

}  // namespace sluice::cli
