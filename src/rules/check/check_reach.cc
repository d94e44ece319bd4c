#include "rules/check/check_reach.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "rules/check/coverage.h"

namespace sluice {
namespace {

// A rule and the requests that it matches.
struct Reach {
  const RuleSpec* rule = nullptr;
  Coverage coverage;
};

// Returns whether the rule applies to every request that meets its conditions and has its key.
bool AlwaysApplies(const RuleSpec& rule) {
  if (rule.action != RuleAction::kLimit || rule.mode != RuleMode::kEnforce) return false;
  if (rule.enforce.millionths != Share::kWhole) return false;
  // It is unknown whether a plan without a default will be found, and whether the attribute that
  // holds the cost is valid.
  if (rule.plan && !rule.plan->otherwise) return false;
  return !rule.cost || !std::holds_alternative<std::string>(*rule.cost);
}

// Returns whether every request that `other` applies to has each part of the key of `rule`.
bool HasKeyWherever(const RuleSpec& rule, const RuleSpec& other, CompareWork& work) {
  return std::ranges::all_of(rule.per, [&](const KeyPartSpec& part) {
    return std::ranges::any_of(part.attributes, [&](const std::string& attribute) {
      return work.Spend(1 + other.match.size() + other.per.size()) &&
             NeedsAttribute(other, attribute);
    });
  });
}

// Returns whether `one` replaces `other` wherever `other` would apply. `one` must be a rule that
// always applies if it matches.
bool AlwaysReplaces(const Reach& one, const Reach& other, CompareWork& work) {
  return other.rule->action == RuleAction::kLimit && other.rule->mode != RuleMode::kOff &&
         one.coverage.Covers(other.coverage, work) && HasKeyWherever(*one.rule, *other.rule, work);
}

}  // namespace

void CheckReach(const RuleSetSpec& spec, const DomainSpec& domain, ConfigProblems& problems) {
  DomainValues values(domain);
  CompareWork work;
  std::vector<Reach> deciders;  // enforced allow and deny rules
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
  std::unordered_map<std::string_view, Reach> by_name;  // the replaced rules
  for (const RuleSpec& rule : domain.rules) {
    if (!replaced_names.contains(rule.name)) continue;
    by_name.emplace(rule.name, Reach{&rule, Coverage(rule, values)});
  }
  std::unordered_set<std::string_view> warned;
  for (const RuleSpec& rule : domain.rules) {
    // A rule that is itself replaced may not apply when it should replace others.
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
