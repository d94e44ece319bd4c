// Coverage: whether one rule matches everything that another matches.
#pragma once

#include <string_view>
#include <unordered_set>
#include <vector>

#include "rules/glob.h"
#include "rules/rule_spec.h"

namespace sluice {

// What a rule applies to, prepared to be compared with that of many others. Refers to the rule,
// which must outlive it. Thread safety: immutable once made.
class Coverage {
 public:
  explicit Coverage(const RuleSpec& rule);

  // Whether every request that `other` applies to meets all conditions of the rule. Judged by the
  // words alone, so that false may mean "cannot tell", but true is sure:
  //   - an equal matcher on the same attribute;
  //   - values of which each is one of the rule's, or matches one of its globs;
  //   - any matcher that needs the attribute, or a key made of it, where the rule asks only that
  //     it is present.
  [[nodiscard]] bool Covers(const RuleSpec& other) const;

 private:
  struct Condition {
    const ConditionSpec* spec = nullptr;
    std::unordered_set<std::string_view> texts;  // of kValues
    std::vector<Glob> globs;
    bool any_value = false;  // all that is asked is that the attribute is there
  };

  static bool IsMet(const Condition& condition, const RuleSpec& other);

  std::vector<Condition> conditions_;
};

// Whether a request that the rule applies to always has the attribute.
bool NeedsAttribute(const RuleSpec& rule, std::string_view attribute);

}  // namespace sluice
