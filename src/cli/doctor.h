// `sluice doctor`: checks whether a store is fit to keep states.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunDoctor(std::span<const std::string_view> args, Console& console);

// Returns the text of `sluice doctor --help`.
std::string_view DoctorHelp();

}  // namespace sluice::cli
