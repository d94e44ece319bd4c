// `sluice rules schema`: prints the JSON Schema of rule files, for editors.
#pragma once

#include <span>
#include <string_view>

#include "console/output.h"

namespace sluice::cli {

// Runs the command with the arguments that follow its name; returns the exit code.
int RunRulesSchema(std::span<const std::string_view> args, Console& console);

}  // namespace sluice::cli
