// Reads rules from texts, for tests of the loader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/rules/read_rules.h"

namespace sluice {

inline std::shared_ptr<const Zone> AnyZone(std::string_view name) {
  return std::make_shared<const Zone>(Zone{std::string(name), 0, {}});
}

inline ReadRulesResult ReadTexts(const std::vector<RuleText>& texts) {
  return ReadRules(texts, AnyZone);
}

inline ReadRulesResult ReadYamlRules(std::string text) {
  return ReadTexts({{"rules.yaml", std::move(text)}});
}

// Returns each problem as a line of text.
inline std::vector<std::string> LinesOf(const ReadRulesResult& read) {
  std::vector<std::string> lines;
  for (const ConfigProblem& problem : read.problems)
    lines.push_back(Describe(read.spec.files, problem));
  return lines;
}

using Lines = std::vector<std::string>;
using Texts = std::vector<std::string>;

}  // namespace sluice
