// `sluice simulate`: replays requests against limits.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunSimulate(std::span<const std::string_view> args, Console& console);

// Returns the text of `sluice simulate --help`.
std::string_view SimulateHelp();

}  // namespace sluice::cli
