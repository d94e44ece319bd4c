// `sluice check`: whether a running server lets a request pass.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunCheck(std::span<const std::string_view> args, Console& console);

// What `sluice check --help` prints.
std::string_view CheckHelp();

}  // namespace sluice::cli
