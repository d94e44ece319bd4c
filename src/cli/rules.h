// `sluice rules`: what rule files say, and what is wrong with them.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

// Runs the command of `sluice rules` that the arguments name; returns the exit code.
int RunRules(std::span<const std::string_view> args, Console& console);

// What `sluice rules --help` prints.
std::string_view RulesHelp();

}  // namespace sluice::cli
