#include "rules/check/coverage.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

// Returns the kind of an attribute with this final source.
AttributeKind KindOf(std::string_view source) {
  if (source == kIpAttribute) return AttributeKind::kAddresses;
  return source == kPathAttribute ? AttributeKind::kPaths : AttributeKind::kTexts;
}

}  // namespace

bool NeedsAttribute(const RuleSpec& rule, std::string_view attribute) {
  const auto found = std::ranges::find(rule.match, attribute, &ConditionSpec::attribute);
  if (found != rule.match.end() && !found->matcher.negated) return true;
  return std::ranges::any_of(rule.per, [&](const KeyPartSpec& part) {
    return part.attributes.size() == 1 && part.attributes.front() == attribute;
  });
}

DomainValues::DomainValues(const DomainSpec& domain) : sources_(domain) {
  for (const ListSpec& list : domain.lists) {
    if (!list.faulty && !list.mixed) lists_.emplace(list.name, &list);
  }
}

std::shared_ptr<const ValueSet> DomainValues::Of(const ConditionSpec& condition) {
  const MatcherSpec& matcher = condition.matcher;
  const AttributeKind kind = KindOf(sources_.SourceOf(condition.attribute));
  if (matcher.kind != Kind::kIn) return std::make_shared<const ValueSet>(matcher, kind, nullptr);
  const auto found = lists_.find(matcher.texts.front());
  const ListSpec* list = found == lists_.end() ? nullptr : found->second;
  std::shared_ptr<const ValueSet>& made = of_lists_[{list, kind}];
  if (made == nullptr) made = std::make_shared<const ValueSet>(matcher, kind, list);
  return made;
}

Coverage::Coverage(const RuleSpec& rule, DomainValues& values) : rule_(&rule) {
  conditions_.reserve(rule.match.size());
  for (const ConditionSpec& spec : rule.match) conditions_.push_back({&spec, values.Of(spec)});
}

bool Coverage::IsMet(const Condition& condition, const Coverage& other, CompareWork& work) {
  const ConditionSpec& spec = *condition.spec;
  const std::size_t parts = other.conditions_.size() + other.rule_->per.size();
  if (!work.Spend(1 + parts)) return false;
  if (condition.values->IsAny() && !spec.matcher.negated) {
    return NeedsAttribute(*other.rule_, spec.attribute);
  }
  const auto narrow = std::ranges::find(
      other.conditions_, spec.attribute,
      [](const Condition& each) { return std::string_view(each.spec->attribute); });
  if (narrow == other.conditions_.end()) return false;
  const MatcherSpec& matcher = narrow->spec->matcher;
  if (!work.Spend(matcher.texts.size())) return false;
  if (matcher == spec.matcher) return true;
  if (!spec.matcher.negated) {
    return !matcher.negated && condition.values->Contains(*narrow->values, work);
  }
  return matcher.negated ? narrow->values->Contains(*condition.values, work)
                         : condition.values->IsApartFrom(*narrow->values, work);
}

bool Coverage::Covers(const Coverage& other, CompareWork& work) const {
  return work.Spend(1) && std::ranges::all_of(conditions_, [&](const Condition& condition) {
           return IsMet(condition, other, work);
         });
}

}  // namespace sluice
