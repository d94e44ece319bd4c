// Builds rules by hand, for tests of code that reads them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "rules/model/rule_spec.h"

namespace sluice {

using Texts = std::vector<std::string>;

// Returns the place of the rule with this number: each rule is on a line of its own.
inline Origin Line(std::uint32_t line) { return {0, {line, 1}}; }

inline MatcherSpec Values(Texts texts, bool negated = false) {
  return {.texts = std::move(texts), .negated = negated, .origin = {}};
}

inline MatcherSpec Matcher(MatcherSpec::Kind kind, Texts texts = {}, bool negated = false) {
  return {.kind = kind, .texts = std::move(texts), .negated = negated, .origin = {}};
}

inline RuleSpec LimitRule(std::string name, std::vector<ConditionSpec> match = {}) {
  RuleSpec rule;
  rule.name = std::move(name);
  rule.match = std::move(match);
  return rule;
}

inline RuleSpec Decides(RuleAction action, std::string name,
                        std::vector<ConditionSpec> match = {}) {
  RuleSpec rule = LimitRule(std::move(name), std::move(match));
  rule.action = action;
  return rule;
}

inline RuleSpec Replacing(std::string name, Texts replaced) {
  RuleSpec rule = LimitRule(std::move(name));
  for (std::string& each : replaced) rule.replaces.push_back({std::move(each), {}});
  return rule;
}

inline RuleSpec Per(RuleSpec rule, std::vector<Texts> parts) {
  for (Texts& part : parts) rule.per.push_back({std::move(part), rule.origin});
  return rule;
}

// Returns one domain with these rules, which are on lines 1, 2, ... of "r.yaml".
inline RuleSetSpec SpecOf(std::vector<RuleSpec> rules) {
  RuleSetSpec spec;
  spec.files = {"r.yaml"};
  DomainSpec& domain = spec.domains.emplace_back();
  domain.name = "api";
  std::uint32_t line = 0;
  for (RuleSpec& rule : rules) {
    const Origin origin = Line(++line);
    rule.origin = origin;
    for (ConditionSpec& condition : rule.match) condition.matcher.origin = origin;
    for (ReplacedSpec& replaced : rule.replaces) replaced.origin = origin;
    for (KeyPartSpec& part : rule.per) part.origin = origin;
    if (rule.plan) rule.plan->origin = origin;
  }
  domain.rules = std::move(rules);
  return spec;
}

}  // namespace sluice
