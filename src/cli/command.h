// The commands of the program, and which of them a command line means.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

// Runs the command that the arguments (those after the program's name) ask for and returns the
// exit code. The console is not flushed.
int RunCommand(std::span<const std::string_view> args, Console& console);

}  // namespace sluice::cli
