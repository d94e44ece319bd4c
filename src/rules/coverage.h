// Coverage: whether one rule matches everything that another matches.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/check_aliases.h"
#include "rules/rule_spec.h"
#include "rules/value_set.h"

namespace sluice {

// What the matchers of a domain ask for. Refers to the domain, which must outlive it. Thread
// safety: none.
class DomainValues {
 public:
  explicit DomainValues(const DomainSpec& domain);

  std::shared_ptr<const ValueSet> Of(const ConditionSpec& condition);

 private:
  AliasSources sources_;
  std::unordered_map<std::string_view, const ListSpec*> lists_;  // those that were read well
  // A list may be long and is the same to all that look into it.
  std::map<std::pair<const ListSpec*, AttributeKind>, std::shared_ptr<const ValueSet>> of_lists_;
};

// What a rule applies to, prepared to be compared with that of many others. Refers to the rule and
// its domain, which must outlive it. Thread safety: immutable once made.
class Coverage {
 public:
  Coverage(const RuleSpec& rule, DomainValues& values);

  // Whether every request that the other's rule applies to meets all conditions of this one's.
  // Judged by the words alone, so that false may mean "cannot tell", but true is sure:
  //   - an equal matcher on the same attribute;
  //   - values, globs, addresses, prefixes and lists of them of which all are among this one's, or
  //     none is where this one's is negated;
  //   - a negated matcher that leaves out at least as much;
  //   - any matcher that needs the attribute, or a key made of it, where this one asks only that it
  //     is present.
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

// Whether a request that the rule applies to always has the attribute.
bool NeedsAttribute(const RuleSpec& rule, std::string_view attribute);

}  // namespace sluice
