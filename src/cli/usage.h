// What commands have in common: the flag -o, and what happens when they are used wrongly.
#pragma once

#include <cstdint>
#include <string_view>

#include "cli/flags.h"
#include "cli/output.h"
#include "sluice/result.h"

namespace sluice::cli {

enum class OutputForm : std::uint8_t { kText, kJson };

// The flag -o.
inline constexpr Flag kFormFlag{"-o", FlagValues::kOne, "text|json", "json"};
Result<OutputForm> ReadForm(const GivenFlags& given);

// Ends a command that is used wrongly: prints what is wrong and returns the exit code. `command` is
// "rules check".
int FailUsage(std::string_view command, std::string_view message, Console& console);

}  // namespace sluice::cli
