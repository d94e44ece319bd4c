// Rules as they are in force, in text and JSON.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "rules/rule_spec.h"

namespace sluice::cli {

// A block for each domain, plan and rule, and the descriptors of a domain as a tree. Every line has
// a key, its value, and where that was written or that it is the default, which is dim in color.
std::string ShowAsText(const RuleSetSpec& spec, Ink ink);

// One line: the keys of rule files, each value as {"value": ..., "from": {"file", "line",
// "column"}}, with a `from` of null for a default. docs/rules-commands.md has the whole of it.
std::string ShowAsJson(const RuleSetSpec& spec);

}  // namespace sluice::cli
