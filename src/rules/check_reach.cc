#include "rules/check_reach.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/text.h"
#include "rules/coverage.h"

namespace sluice {
namespace {

// An allow or deny rule that decides what it matches.
struct Decider {
  const RuleSpec* rule = nullptr;
  Coverage coverage;
};

// Whether the rule applies to every request that meets its conditions and has its key.
bool AlwaysApplies(const RuleSpec& rule) {
  if (rule.action != RuleAction::kLimit || rule.mode != RuleMode::kEnforce) return false;
  if (rule.enforce.millionths != Share::kWhole) return false;
  // A plan that is not found and a cost that is not there are for others to judge.
  if (rule.plan && !rule.plan->otherwise) return false;
  return !rule.cost || !std::holds_alternative<std::string>(*rule.cost);
}

// Whether each part of the key of `rule` is there wherever `other` applies.
bool HasKeyWherever(const RuleSpec& rule, const RuleSpec& other) {
  return std::ranges::all_of(rule.per, [&](const KeyPartSpec& part) {
    return std::ranges::any_of(part.attributes, [&](const std::string& attribute) {
      return NeedsAttribute(other, attribute);
    });
  });
}

// A limit rule that replaces others wherever it matches.
struct Replacer {
  const RuleSpec& rule;
  Coverage coverage;

  [[nodiscard]] bool AlwaysReplaces(const RuleSpec& other) const {
    return other.action == RuleAction::kLimit && other.mode != RuleMode::kOff &&
           coverage.Covers(other) && HasKeyWherever(rule, other);
  }
};

}  // namespace

void CheckReach(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems) {
  std::vector<Decider> deciders;
  const auto check = [&](const RuleSpec& rule) {
    const auto decider = std::ranges::find_if(
        deciders, [&](const Decider& each) { return each.coverage.Covers(rule); });
    if (decider == deciders.end()) return;
    const RuleSpec& first = *decider->rule;
    problems.Error(rule.origin,
                   Concat("unreachable rule ", Quoted(rule.name), "; all it matches is decided by ",
                          first.action == RuleAction::kAllow ? "the allow rule " : "the deny rule ",
                          Quoted(first.name), " at ", DescribePlace(spec.files, first.origin)));
  };
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit || rule.faulty) continue;
    check(rule);
    if (rule.mode == RuleMode::kEnforce) deciders.push_back({&rule, Coverage(rule)});
  }
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit && !rule.faulty) check(rule);
  }
}

void CheckReplaced(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems) {
  std::unordered_map<std::string_view, const RuleSpec*> by_name;
  std::unordered_set<std::string_view> replaced_names;
  for (const RuleSpec& rule : domain.rules) {
    by_name.emplace(rule.name, &rule);
    for (const ReplacedSpec& replaced : rule.replaces) replaced_names.insert(replaced.name);
  }
  std::unordered_set<std::string_view> warned;
  for (const RuleSpec& rule : domain.rules) {
    // One that is itself replaced may not be there to replace others.
    if (!AlwaysApplies(rule) || replaced_names.contains(rule.name)) continue;
    const Replacer replacer{rule, Coverage(rule)};
    for (const ReplacedSpec& each : rule.replaces) {
      const auto found = by_name.find(each.name);
      if (found == by_name.end() || !replacer.AlwaysReplaces(*found->second)) continue;
      if (!warned.insert(each.name).second) continue;
      const RuleSpec& replaced = *found->second;
      problems.Warn(
          replaced.origin,
          Concat("the rule ", Quoted(replaced.name), " never applies; the rule ", Quoted(rule.name),
                 " at ", DescribePlace(spec.files, rule.origin), " replaces it wherever it would"));
    }
  }
}

}  // namespace sluice
