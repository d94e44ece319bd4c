#include "rules/check_escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/limit_words.h"
#include "core/text.h"
#include "rules/check_aliases.h"

namespace sluice {
namespace {

bool CanBeLeftOut(const KeyPartSpec& part, const AliasSources& sources) {
  return std::ranges::none_of(part.attributes, [&](const std::string& attribute) {
    return std::ranges::find(kAlwaysThere, sources.SourceOf(attribute)) != kAlwaysThere.end();
  });
}

bool LimitsForReal(const RuleSpec& rule) {
  return rule.action == RuleAction::kLimit && rule.mode == RuleMode::kEnforce &&
         rule.enforce.millionths != 0;
}

struct SourceKind {
  std::string_view prefix;
  std::string_view words;
};
constexpr std::array kSourceKinds = {
    SourceKind{"header.", "header "},
    SourceKind{"query.", "query parameter "},
    SourceKind{"cookie.", "cookie "},
};

// "header x-user-id": what people know it by.
std::string NameSource(std::string_view source) {
  for (const SourceKind& kind : kSourceKinds) {
    if (source.starts_with(kind.prefix)) {
      return Concat(kind.words, source.substr(kind.prefix.size()));
    }
  }
  return Concat("attribute ", source);
}

// "header a, cookie b and attribute c"; of many the first ones.
std::string NameSources(const std::vector<std::string_view>& sources) {
  constexpr std::size_t kNamedMost = 5;
  std::vector<std::string> names;
  for (const std::string_view source : sources) {
    if (names.size() < kNamedMost) names.push_back(NameSource(source));
  }
  if (names.size() < sources.size()) {
    names.push_back(Concat(sources.size() - names.size(), " more"));
  }
  return JoinWords(std::vector<std::string_view>(names.begin(), names.end()), "and");
}

// Whether a deny rule refuses every request that leaves these sources out.
bool IsDenied(const DomainSpec& domain, const AliasSources& sources,
              const std::vector<std::string_view>& left_out) {
  return std::ranges::any_of(domain.rules, [&](const RuleSpec& rule) {
    if (rule.action != RuleAction::kDeny || rule.mode != RuleMode::kEnforce) return false;
    return std::ranges::all_of(rule.match, [&](const ConditionSpec& condition) {
      const std::string_view source = sources.SourceOf(condition.attribute);
      return condition.matcher.negated && std::ranges::find(left_out, source) != left_out.end();
    });
  });
}

}  // namespace

void CheckEscape(const DomainSpec& domain, ConfigProblems& problems) {
  const AliasSources sources(domain);
  const KeyPartSpec* first = nullptr;
  std::vector<std::string_view> left_out;  // what a request must leave out to escape
  for (const RuleSpec& rule : domain.rules) {
    if (!LimitsForReal(rule)) continue;
    const auto part = std::ranges::find_if(
        rule.per, [&](const KeyPartSpec& each) { return CanBeLeftOut(each, sources); });
    if (part == rule.per.end()) return;
    if (first == nullptr) first = &*part;
    for (const std::string& attribute : part->attributes) {
      const std::string_view source = sources.SourceOf(attribute);
      if (std::ranges::find(left_out, source) == left_out.end()) left_out.push_back(source);
    }
  }
  if (first == nullptr || IsDenied(domain, sources, left_out)) return;
  problems.Warn(first->origin,
                Concat("a request without ", NameSources(left_out),
                       " escapes every rule; limit such requests by ip, or deny them"));
}

}  // namespace sluice
