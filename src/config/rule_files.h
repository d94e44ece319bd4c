// Rule files on disk: a file, or a directory of them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/read_rules.h"

namespace sluice {

// Whether a file of this name in a directory is a rule file: *.yaml, *.yml and *.json. Hidden files
// are not, so that an editor's copies and the links that Kubernetes swaps are not read twice.
bool IsRuleFileName(std::string_view name);

// Reads every path: a file as it is, of a directory all rule files directly in it, by name.
// A path that cannot be read, and a directory without such files, is a text with a fault. So is a
// link that leads nowhere: what it stands for must not drop out of the rules unsaid.
std::vector<RuleText> ReadRuleFiles(std::span<const std::string> paths);

}  // namespace sluice
