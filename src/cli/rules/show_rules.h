// Formats the rules in force as text and as JSON.
#pragma once

#include <string>

#include "console/terminal.h"
#include "rules/model/rule_spec.h"

namespace sluice::cli {

// Formats a block for each domain, plan and rule, and the descriptors of a domain as a tree. Each
// line has a key, its value, and the place where it was written, or "default"; lines of defaults
// are dim in color.
std::string ShowAsText(const RuleSetSpec& spec, ColorMode ink);

// Formats one line of JSON: the keys of rule files, each value as {"value": ..., "from": {"file",
// "line", "column"}}. `from` is null for a default. docs/rules-commands.md has the full format.
std::string ShowAsJson(const RuleSetSpec& spec);

}  // namespace sluice::cli
