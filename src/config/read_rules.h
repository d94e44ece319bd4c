// ReadRules: rule files, as texts, to a RuleSetSpec.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config_problem.h"
#include "core/limit.h"
#include "rules/rule_spec.h"

namespace sluice {

struct RuleText {
  std::string name;  // as messages show it; *.json is read as JSON, anything else as YAML
  std::string text;
  std::string fault = {};  // why the text is not known: "cannot be read: Permission denied"
};

struct ReadRulesResult {
  RuleSetSpec spec;  // without what is wrong; to be used only where there are no errors
  std::vector<ConfigProblem> problems;
};

// Reads the texts strictly and puts the documents of each domain together in their order. All
// errors of all texts are reported, by file and place; of a text that is no YAML or JSON the
// first, and of one that is not known its fault. Whether what is written makes sense as a whole is
// for CheckRules to say.
//
// Pure: reads no file and keeps nothing.
ReadRulesResult ReadRules(std::span<const RuleText> texts, const ZoneSource& zones);

// ReadRules, and what CheckRules finds in those of the rules that could be read, all errors at
// once. Where a text is not known, or no YAML or JSON, nothing is checked as a whole: what is
// missed may be in it.
ReadRulesResult ReadAndCheckRules(std::span<const RuleText> texts, const ZoneSource& zones);

}  // namespace sluice
