#include "rules/coverage.h"

#include <algorithm>
#include <string>

#include "rules/ip_address.h"

namespace sluice {
namespace {

using Kind = MatcherSpec::Kind;

const MatcherSpec* FindMatcher(const RuleSpec& rule, std::string_view attribute) {
  const auto found = std::ranges::find(rule.match, attribute, &ConditionSpec::attribute);
  return found == rule.match.end() ? nullptr : &found->matcher;
}

}  // namespace

bool NeedsAttribute(const RuleSpec& rule, std::string_view attribute) {
  const MatcherSpec* matcher = FindMatcher(rule, attribute);
  if (matcher != nullptr && !matcher->negated) return true;
  return std::ranges::any_of(rule.per, [&](const KeyPartSpec& part) {
    return part.attributes.size() == 1 && part.attributes.front() == attribute;
  });
}

Coverage::Coverage(const RuleSpec& rule) {
  for (const ConditionSpec& spec : rule.match) {
    Condition& condition = conditions_.emplace_back();
    condition.spec = &spec;
    const MatcherSpec& matcher = spec.matcher;
    if (matcher.negated) continue;
    condition.any_value = matcher.kind == Kind::kPresent;
    if (matcher.kind != Kind::kValues) continue;
    for (const std::string& text : matcher.texts) {
      condition.texts.insert(text);
      if (text == "*") condition.any_value = true;
      if (Glob::IsGlob(text)) condition.globs.emplace_back(text);
    }
  }
}

bool Coverage::IsMet(const Condition& condition, const RuleSpec& other) {
  const std::string& attribute = condition.spec->attribute;
  if (condition.any_value) return NeedsAttribute(other, attribute);
  const MatcherSpec* matcher = FindMatcher(other, attribute);
  if (matcher == nullptr) return false;
  if (*matcher == condition.spec->matcher) return true;
  if (matcher->kind != Kind::kValues || matcher->negated) return false;
  return std::ranges::all_of(matcher->texts, [&](const std::string& text) {
    if (condition.texts.contains(text)) return true;
    if (Glob::IsGlob(text)) return false;
    const bool matches =
        std::ranges::any_of(condition.globs, [&](const Glob& glob) { return glob.Matches(text); });
    // To `ip` and whatever stands for it 10.0.0.1 is an address, which may be written otherwise:
    // the text matches 10.*, and ::ffff:10.0.0.1 does not.
    return matches && !ParseIpPrefix(text).ok();
  });
}

bool Coverage::Covers(const RuleSpec& other) const {
  return std::ranges::all_of(conditions_,
                             [&](const Condition& condition) { return IsMet(condition, other); });
}

}  // namespace sluice
