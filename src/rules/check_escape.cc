#include "rules/check_escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/limit_words.h"
#include "core/text.h"
#include "rules/check_aliases.h"
#include "rules/coverage.h"

namespace sluice {
namespace {

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

// Finds requests that leave something out and so escape. Refers to the domain.
class EscapeCheck {
 public:
  EscapeCheck(const DomainSpec& domain, ConfigProblems& problems)
      : problems_(problems), domain_(domain), sources_(domain), values_(domain) {}

  void Check() {
    for (const RuleSpec& rule : domain_.rules) {
      if (!LimitsForReal(rule)) continue;
      const std::optional<Origin> need = FindNeed(rule);
      if (need) {
        escaped_.push_back({&rule, *need});
      } else {
        staying_.push_back(&rule);
      }
    }
    const bool all_escaped = staying_.empty();
    for (const RuleSpec& rule : domain_.rules) {
      if (rule.action == RuleAction::kDeny && rule.mode == RuleMode::kEnforce) {
        staying_.push_back(&rule);
      }
    }
    const auto escape = FindEscape();
    if (escape == escaped_.end() || work_.IsSpent()) return;
    const std::string what =
        all_escaped ? std::string("every rule")
                    : Concat("the rule ", Quoted(escape->rule->name), " and may meet no other");
    problems_.Warn(escape->need, Concat("a request without ", NameSources(left_out_), " escapes ",
                                        what, "; limit such requests by ip, or deny them"));
  }

 private:
  // A rule that does not apply to a request that leaves out what it needs.
  struct Escaped {
    const RuleSpec* rule = nullptr;
    Origin need;
  };

  [[nodiscard]] bool IsAlwaysThere(std::string_view attribute) const {
    return std::ranges::find(kAlwaysThere, sources_.SourceOf(attribute)) != kAlwaysThere.end();
  }

  // What others than the client send is taken to be there, short of a key made of it.
  [[nodiscard]] bool IsSentByClient(std::string_view attribute) const {
    const std::string_view source = sources_.SourceOf(attribute);
    return std::ranges::any_of(
        kSourceKinds, [&](const SourceKind& kind) { return source.starts_with(kind.prefix); });
  }

  void LeaveOut(std::string_view attribute) {
    const std::string_view source = sources_.SourceOf(attribute);
    if (std::ranges::find(left_out_, source) == left_out_.end()) left_out_.push_back(source);
  }

  // The first thing that the rule needs and that can be left out, and that is then left out.
  std::optional<Origin> FindNeed(const RuleSpec& rule) {
    for (const KeyPartSpec& part : rule.per) {
      if (std::ranges::any_of(part.attributes,
                              [&](const std::string& each) { return IsAlwaysThere(each); })) {
        continue;
      }
      for (const std::string& attribute : part.attributes) LeaveOut(attribute);
      return part.origin;
    }
    for (const ConditionSpec& condition : rule.match) {
      if (condition.matcher.negated || !IsSentByClient(condition.attribute)) continue;
      LeaveOut(condition.attribute);
      return condition.matcher.origin;
    }
    if (!rule.plan || rule.plan->otherwise || !IsSentByClient(rule.plan->by)) return std::nullopt;
    LeaveOut(rule.plan->by);
    return rule.plan->origin;
  }

  // What is met by every request that leaves out what can be left out, or by every request.
  [[nodiscard]] bool IsMet(const ConditionSpec& condition) const {
    const MatcherSpec& matcher = condition.matcher;
    if (!matcher.negated) {
      const bool any = matcher.kind == MatcherSpec::Kind::kPresent ||
                       std::ranges::find(matcher.texts, "*") != matcher.texts.end();
      return any && IsAlwaysThere(condition.attribute);
    }
    const std::string_view source = sources_.SourceOf(condition.attribute);
    return IsSentByClient(source) || std::ranges::find(left_out_, source) != left_out_.end();
  }

  // The rule as far as it tells apart requests that leave all that out.
  [[nodiscard]] RuleSpec WithoutLeftOut(const RuleSpec& rule) const {
    RuleSpec rest;
    for (const ConditionSpec& condition : rule.match) {
      if (!IsMet(condition)) rest.match.push_back(condition);
    }
    return rest;
  }

  // The first rule of which none of those that stay limits or denies all that escapes it.
  std::vector<Escaped>::const_iterator FindEscape() {
    std::vector<RuleSpec> rests;
    rests.reserve(staying_.size());
    std::vector<Coverage> coverages;
    for (const RuleSpec* rule : staying_) {
      coverages.emplace_back(rests.emplace_back(WithoutLeftOut(*rule)), values_);
    }
    return std::ranges::find_if(std::as_const(escaped_), [&](const Escaped& escaped) {
      RuleSpec rest = WithoutLeftOut(*escaped.rule);
      std::erase_if(rest.match, [&](const ConditionSpec& condition) {
        return IsSentByClient(condition.attribute);
      });
      const Coverage escaping(rest, values_);
      return std::ranges::none_of(
          coverages, [&](const Coverage& each) { return each.Covers(escaping, work_); });
    });
  }

  ConfigProblems& problems_;
  const DomainSpec& domain_;
  AliasSources sources_;
  DomainValues values_;
  CompareWork work_;
  std::vector<std::string_view> left_out_;  // the sources
  std::vector<Escaped> escaped_;
  std::vector<const RuleSpec*> staying_;  // the others, which limit or deny
};

}  // namespace

void CheckEscape(const DomainSpec& domain, ConfigProblems& problems) {
  EscapeCheck(domain, problems).Check();
}

}  // namespace sluice
