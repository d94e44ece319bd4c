// `sluice rules show`: shows every value in force, and where it was written.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunRulesShow(std::span<const std::string_view> args, Console& console);

}  // namespace sluice::cli
