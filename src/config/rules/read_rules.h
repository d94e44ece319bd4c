// ReadRules: reads the texts of rule files into a RuleSetSpec.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/config_problem.h"
#include "core/limit/limit.h"
#include "rules/model/rule_spec.h"

namespace sluice {

struct RuleText {
  std::string name;  // file name for messages; *.json is parsed as JSON, anything else as YAML
  std::string text;
  std::string fault = {};  // why the file could not be read: "cannot be read: Permission denied"
};

struct ReadRulesResult {
  RuleSetSpec spec;  // without the invalid parts; use it only if there are no errors
  std::vector<ConfigProblem> problems;
};

// Parses the texts strictly and merges the documents of each domain in order. Reports all errors of
// all texts, by file and place; for a text that is not valid YAML or JSON, reports its first error,
// and for a text that could not be read, its fault. CheckRules checks whether the rules make sense
// together.
//
// Pure: reads no files and keeps no state.
ReadRulesResult ReadRules(std::span<const RuleText> texts, const ZoneSource& zones);

// Runs ReadRules, then CheckRules on all rules that could be read, and reports all errors together.
// If a text could not be read or parsed, skips CheckRules: whatever seems to be missing may be in
// that text.
ReadRulesResult ReadAndCheckRules(std::span<const RuleText> texts, const ZoneSource& zones);

}  // namespace sluice
