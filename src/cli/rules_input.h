// What the commands of `sluice rules` have in common: their flags, and rules read from files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/flags.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "config/read_rules.h"
#include "rules/rule_spec.h"
#include "sluice/result.h"

namespace sluice::cli {

enum class OutputForm : std::uint8_t { kText, kJson };

// The flag -o.
inline constexpr Flag kFormFlag{"-o", FlagValues::kOne, "text|json", "json"};
Result<OutputForm> ReadForm(const GivenFlags& given);

// Ends a command that is used wrongly: prints what is wrong and returns the exit code. `command` is
// "rules check".
int FailUsage(std::string_view command, std::string_view message, Console& console);

// One line for each problem; in color, with its severity first.
std::string ProblemsText(const ReadRulesResult& read, Ink ink);

// The rules of files and directories, with what is wrong with them, which may be that they cannot
// be read.
ReadRulesResult ReadRulesAt(std::span<const std::string_view> paths);

// The same for a command that needs good rules. Where they cannot be used, nothing, and every error
// has been printed.
std::optional<RuleSetSpec> LoadRules(std::span<const std::string_view> paths, Console& console);

}  // namespace sluice::cli
