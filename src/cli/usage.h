// Shared by the commands: the flag -o, and the report of wrong usage.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/flags.h"
#include "console/output.h"
#include "sluice/result.h"

namespace sluice::cli {

enum class OutputForm : std::uint8_t { kText, kJson };

inline constexpr Flag kFormFlag{"-o", FlagValues::kOne, "text|json", "json"};
Result<OutputForm> ReadForm(const GivenFlags& given);

// Prints a usage error and returns the exit code. `command` is its name, for example "rules check".
int FailUsage(std::string_view command, std::string_view message, Console& console);

}  // namespace sluice::cli
