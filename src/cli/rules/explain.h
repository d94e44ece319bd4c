// `sluice explain`: shows which rules apply to a request, and why.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunExplain(std::span<const std::string_view> args, Console& console);

// Returns the text of `sluice explain --help`.
std::string_view ExplainHelp();

}  // namespace sluice::cli
