// The commands of the program, and the dispatch of a command line to one of them.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command that `args` (the arguments after the program's name) ask for and returns the
// exit code. Does not flush the console.
int RunCommand(std::span<const std::string_view> args, Console& console);

}  // namespace sluice::cli
