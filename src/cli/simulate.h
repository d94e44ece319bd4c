// `sluice simulate`: what a limit would have done.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunSimulate(std::span<const std::string_view> args, Console& console);

// What `sluice simulate --help` prints.
std::string_view SimulateHelp();

}  // namespace sluice::cli
