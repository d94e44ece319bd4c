// Shared by the commands of `sluice rules`: loading rules from files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/rules/read_rules.h"
#include "console/output.h"
#include "console/terminal.h"
#include "rules/model/rule_spec.h"

namespace sluice::cli {

// Formats one line per problem. In color, the line names the severity before the message.
std::string ProblemsText(const ReadRulesResult& read, ColorMode ink);

// Reads the rules of files and directories, and checks them. Files that cannot be read are
// problems, too.
ReadRulesResult ReadRulesAt(std::span<const std::string_view> paths);

// Reads rules for a command that needs valid ones. If they have errors, prints all problems and
// returns nothing.
std::optional<RuleSetSpec> LoadRules(std::span<const std::string_view> paths, Console& console);

}  // namespace sluice::cli
