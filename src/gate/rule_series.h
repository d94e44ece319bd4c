// RuleSeries: numbers the things of a rule set that are counted separately.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gate/override_limits.h"
#include "gate/request.h"
#include "rules/compile/rule_set.h"

namespace sluice {

// The labels of a count. All of them come from rule files, none from requests.
struct RuleLabels {
  std::string domain;  // empty: limits that callers send, and all beyond RuleSeries::kMax
  std::string rule;    // empty: requests that no rule applied to
  std::string limit;   // "m", or "free/m" of a plan; empty: the rule itself

  // NOLINTNEXTLINE(modernize-use-nullptr): it is about a 0 that the compiler writes.
  friend auto operator<=>(const RuleLabels&, const RuleLabels&) = default;
};

// Assigns numbers from 0 on to everything that is counted separately: each limit; rules that allow
// or deny, or whose cost is an attribute, themselves; per domain the requests that no rule applies
// to; each period of limits that callers send.
//
// Immutable. Thread safety: every method may be called from any thread. Ownership: it owns its
// labels; the pointers passed to it must be of the rule set it was made from.
//
// Invariants
//   (1) No two numbers have the same labels. Things with the same labels are counted together.
//   (2) There are at most kMax numbers. Everything that comes after them in the rule files is
//       counted together, under the labels "", "others", "".
class RuleSeries {
 public:
  static constexpr std::size_t kMax = 10'000;

  RuleSeries(const RuleSet& rules, const OverrideLimits& overrides);

  [[nodiscard]] std::span<const RuleLabels> labels() const { return labels_; }
  [[nodiscard]] std::optional<std::uint32_t> Find(const RuleLabels& labels) const;

  // `limit` is an index of RuleSet::limits().
  [[nodiscard]] std::uint32_t OfLimit(std::uint32_t limit) const { return of_limit_[limit]; }
  [[nodiscard]] std::uint32_t OfOverride(LimitOverride::Period period) const {
    return of_override_[static_cast<std::size_t>(period)];
  }
  // REQUIRES: the rule allows, denies, or has an attribute for its cost.
  [[nodiscard]] std::uint32_t OfRule(const RuleSpec& rule) const { return of_rule_.at(&rule); }
  // Returns the number for requests that no rule of the domain applies to.
  [[nodiscard]] std::uint32_t OfDomain(const DomainSpec& domain) const {
    return of_domain_.at(&domain);
  }

 private:
  std::uint32_t NumberOf(RuleLabels labels);

  std::vector<RuleLabels> labels_;  // by number
  std::map<RuleLabels, std::uint32_t> number_of_;
  std::vector<std::uint32_t> of_limit_;
  std::vector<std::uint32_t> of_override_;
  std::unordered_map<const RuleSpec*, std::uint32_t> of_rule_;
  std::unordered_map<const DomainSpec*, std::uint32_t> of_domain_;
};

}  // namespace sluice
