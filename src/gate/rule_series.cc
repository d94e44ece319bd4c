#include "gate/rule_series.h"

#include <utility>
#include <variant>

#include "base/text.h"

namespace sluice {
namespace {

// Whether the rule itself can decide a request, independently of its limits.
bool CountsByItself(const RuleSpec& rule) {
  if (rule.mode == RuleMode::kOff) return false;
  return rule.action != RuleAction::kLimit ||
         (rule.cost && std::holds_alternative<std::string>(*rule.cost));
}

RuleLabels LabelsOf(const RuleLimit& limit) {
  RuleLabels labels{std::string(limit.domain), std::string(limit.rule), std::string(limit.name)};
  if (!limit.plan.empty()) labels.limit = Concat(limit.plan, "/", limit.name);
  return labels;
}

}  // namespace

RuleSeries::RuleSeries(const RuleSet& rules, const OverrideLimits& overrides) {
  for (std::size_t i = 0; i < LimitOverride::kPeriods; ++i) {
    of_override_.push_back(
        NumberOf(LabelsOf(overrides.NameOf(static_cast<LimitOverride::Period>(i)))));
  }
  for (const DomainSpec& domain : rules.spec().domains) {
    of_domain_.emplace(&domain, NumberOf({domain.name, "", ""}));
    for (const RuleSpec& rule : domain.rules) {
      if (CountsByItself(rule)) of_rule_.emplace(&rule, NumberOf({domain.name, rule.name, ""}));
    }
  }
  for (const RuleLimit& limit : rules.limits()) of_limit_.push_back(NumberOf(LabelsOf(limit)));
}

std::uint32_t RuleSeries::NumberOf(RuleLabels labels) {
  if (const auto known = number_of_.find(labels); known != number_of_.end()) return known->second;
  const bool is_last = labels_.size() + 1 >= kMax;
  if (is_last) labels = {"", "others", ""};
  const auto [place, added] =
      number_of_.emplace(std::move(labels), static_cast<std::uint32_t>(labels_.size()));
  if (added) labels_.push_back(place->first);
  return place->second;
}

std::optional<std::uint32_t> RuleSeries::Find(const RuleLabels& labels) const {
  const auto found = number_of_.find(labels);
  if (found == number_of_.end()) return std::nullopt;
  return found->second;
}

}  // namespace sluice
