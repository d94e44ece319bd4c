// `sluice explain`: which rules apply to a request, and why.
#pragma once

#include <span>
#include <string_view>

#include "cli/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunExplain(std::span<const std::string_view> args, Console& console);

// What `sluice explain --help` prints.
std::string_view ExplainHelp();

}  // namespace sluice::cli
