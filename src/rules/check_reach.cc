#include "rules/check_reach.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/text.h"
#include "rules/coverage.h"

namespace sluice {
namespace {

// A rule, and what it applies to.
struct Reach {
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
bool HasKeyWherever(const RuleSpec& rule, const RuleSpec& other, CompareWork& work) {
  return std::ranges::all_of(rule.per, [&](const KeyPartSpec& part) {
    return std::ranges::any_of(part.attributes, [&](const std::string& attribute) {
      return work.Spend(1 + other.match.size() + other.per.size()) &&
             NeedsAttribute(other, attribute);
    });
  });
}

// Whether the one, which always applies where it matches, replaces the other wherever that would.
bool AlwaysReplaces(const Reach& one, const Reach& other, CompareWork& work) {
  return other.rule->action == RuleAction::kLimit && other.rule->mode != RuleMode::kOff &&
         one.coverage.Covers(other.coverage, work) && HasKeyWherever(*one.rule, *other.rule, work);
}

}  // namespace

void CheckReach(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems) {
  DomainValues values(domain);
  CompareWork work;
  std::vector<Reach> deciders;  // allow and deny rules that decide what they match
  const auto check = [&](const Reach& reach) {
    const auto decider = std::ranges::find_if(
        deciders, [&](const Reach& each) { return each.coverage.Covers(reach.coverage, work); });
    if (decider == deciders.end()) return;
    const RuleSpec& first = *decider->rule;
    problems.Error(
        reach.rule->origin,
        Concat("unreachable rule ", Quoted(reach.rule->name), "; all it matches is decided by ",
               first.action == RuleAction::kAllow ? "the allow rule " : "the deny rule ",
               Quoted(first.name), " at ", DescribePlace(spec.files, first.origin)));
  };
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit || rule.faulty) continue;
    Reach reach{&rule, Coverage(rule, values)};
    check(reach);
    if (rule.mode == RuleMode::kEnforce) deciders.push_back(std::move(reach));
  }
  if (deciders.empty()) return;
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action == RuleAction::kLimit && !rule.faulty) check({&rule, Coverage(rule, values)});
  }
}

void CheckReplaced(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems) {
  std::unordered_set<std::string_view> replaced_names;
  for (const RuleSpec& rule : domain.rules) {
    for (const ReplacedSpec& replaced : rule.replaces) replaced_names.insert(replaced.name);
  }
  DomainValues values(domain);
  CompareWork work;
  std::unordered_map<std::string_view, Reach> by_name;  // of those that are replaced
  for (const RuleSpec& rule : domain.rules) {
    if (!replaced_names.contains(rule.name)) continue;
    by_name.emplace(rule.name, Reach{&rule, Coverage(rule, values)});
  }
  std::unordered_set<std::string_view> warned;
  for (const RuleSpec& rule : domain.rules) {
    // One that is itself replaced may not be there to replace others.
    if (!AlwaysApplies(rule) || replaced_names.contains(rule.name)) continue;
    const Reach replacing{&rule, Coverage(rule, values)};
    for (const ReplacedSpec& each : rule.replaces) {
      const auto found = by_name.find(each.name);
      if (found == by_name.end() || !AlwaysReplaces(replacing, found->second, work)) continue;
      if (!warned.insert(each.name).second) continue;
      const RuleSpec& replaced = *found->second.rule;
      problems.Warn(
          replaced.origin,
          Concat("the rule ", Quoted(replaced.name), " never applies; the rule ", Quoted(rule.name),
                 " at ", DescribePlace(spec.files, rule.origin), " replaces it wherever it would"));
    }
  }
}

}  // namespace sluice
