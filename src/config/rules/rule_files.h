// Reads rule files from disk: single files, or directories of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/rules/read_rules.h"

namespace sluice {

// Returns whether a file with this name in a directory is a rule file: *.yaml, *.yml and *.json.
// Hidden files are not, so that an editor's copies and the links that Kubernetes swaps are not read
// twice.
bool IsRuleFileName(std::string_view name);

// Reads every path: a file, or all rule files directly in a directory, sorted by name. A path that
// cannot be read and a directory without rule files become a text with a fault. So does a dangling
// link, because the rules behind it must not disappear silently.
std::vector<RuleText> ReadRuleFiles(std::span<const std::string> paths);

}  // namespace sluice
