// Rule files on disk: a file, or a directory of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/read_rules.h"
#include "sluice/result.h"

namespace sluice {

// Reads every path: a file as it is, of a directory all *.yaml, *.yml and *.json directly in it, by
// name. Hidden files are left out, so that an editor's copies and the links that Kubernetes swaps
// are not read twice.
// A path that cannot be read, and a directory without such files, is an error.
Result<std::vector<RuleText>> ReadRuleFiles(std::span<const std::string> paths);

}  // namespace sluice
