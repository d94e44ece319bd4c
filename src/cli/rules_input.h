// What the commands of `sluice rules` have in common: rules read from files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/output.h"
#include "cli/terminal.h"
#include "config/read_rules.h"
#include "rules/rule_spec.h"

namespace sluice::cli {

// One line for each problem; in color, with its severity first.
std::string ProblemsText(const ReadRulesResult& read, Ink ink);

// The rules of files and directories, with what is wrong with them, which may be that they cannot
// be read.
ReadRulesResult ReadRulesAt(std::span<const std::string_view> paths);

// The same for a command that needs good rules. Where they cannot be used, nothing, and every error
// has been printed.
std::optional<RuleSetSpec> LoadRules(std::span<const std::string_view> paths, Console& console);

}  // namespace sluice::cli
