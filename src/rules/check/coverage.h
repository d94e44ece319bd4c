// Coverage: decides whether one rule matches everything that another rule matches.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/check/check_aliases.h"
#include "rules/check/value_set.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// The value sets of a domain's matchers. Refers to the domain, which must outlive it. Thread
// safety: none.
class DomainValues {
 public:
  explicit DomainValues(const DomainSpec& domain);

  std::shared_ptr<const ValueSet> Of(const ConditionSpec& condition);

 private:
  AliasSources sources_;
  std::unordered_map<std::string_view, const ListSpec*> lists_;  // those without faults
  // A list may be long, so its value set is built once and shared.
  std::map<std::pair<const ListSpec*, AttributeKind>, std::shared_ptr<const ValueSet>> of_lists_;
};

// The match of a rule, prepared for comparison with many others. Refers to the rule and its domain,
// which must outlive it. Thread safety: immutable once constructed.
class Coverage {
 public:
  Coverage(const RuleSpec& rule, DomainValues& values);

  // Returns whether every request that the other rule applies to meets all conditions of this rule.
  // Compares only what is written: true is certain, but false may mean "unknown". A condition of
  // this rule is known to be met if the other rule has, on the same attribute,
  //   - an equal matcher;
  //   - values, globs, addresses, prefixes or a list of them, all of which are among this
  //     condition's; or, if this condition is negated, none of which are;
  //   - a negated matcher that excludes at least as much as this negated one;
  //   - any matcher that needs the attribute, or a key made of it, if this condition only needs it
  //     to be present.
  bool Covers(const Coverage& other, CompareWork& work) const;

 private:
  struct Condition {
    const ConditionSpec* spec = nullptr;
    std::shared_ptr<const ValueSet> values;
  };

  static bool IsMet(const Condition& condition, const Coverage& other, CompareWork& work);

  const RuleSpec* rule_;
  std::vector<Condition> conditions_;
};

// Returns whether every request that the rule applies to has the attribute.
bool NeedsAttribute(const RuleSpec& rule, std::string_view attribute);

}  // namespace sluice
