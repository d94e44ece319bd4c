#include "rules/check/check_escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"
#include "rules/check/check_aliases.h"
#include "rules/check/coverage.h"

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

// Returns a readable name: "header x-user-id".
std::string NameSource(std::string_view source) {
  for (const SourceKind& kind : kSourceKinds) {
    if (source.starts_with(kind.prefix)) {
      return Concat(kind.words, source.substr(kind.prefix.size()));
    }
  }
  return Concat("attribute ", source);
}

// Returns "header a, cookie b and attribute c"; names at most kMaxNamed sources.
std::string NameSources(const std::vector<std::string_view>& sources) {
  constexpr std::size_t kMaxNamed = 5;
  std::vector<std::string> names;
  for (const std::string_view source : sources) {
    if (names.size() < kMaxNamed) names.push_back(NameSource(source));
  }
  if (names.size() < sources.size()) {
    names.push_back(Concat(sources.size() - names.size(), " more"));
  }
  return JoinWords(std::vector<std::string_view>(names.begin(), names.end()), "and");
}

// Finds requests that escape by leaving something out. Refers to the domain.
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
  // A rule that does not apply to requests that leave out what it needs.
  struct Escaped {
    const RuleSpec* rule = nullptr;
    Origin need;
  };

  [[nodiscard]] bool IsAlwaysThere(std::string_view attribute) const {
    return std::ranges::find(kAlwaysThere, sources_.SourceOf(attribute)) != kAlwaysThere.end();
  }

  // Attributes that are not sent by the client are assumed to be present, unless a key is made of
  // them.
  [[nodiscard]] bool IsSentByClient(std::string_view attribute) const {
    const std::string_view source = sources_.SourceOf(attribute);
    return std::ranges::any_of(
        kSourceKinds, [&](const SourceKind& kind) { return source.starts_with(kind.prefix); });
  }

  void LeaveOut(std::string_view attribute) {
    const std::string_view source = sources_.SourceOf(attribute);
    if (std::ranges::find(left_out_, source) == left_out_.end()) left_out_.push_back(source);
  }

  // Finds the first key part, condition or plan of the rule whose attributes a request can leave
  // out, and adds these to left_out_.
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

  // Returns whether the condition holds for every request that leaves out everything it can, or for
  // every request at all.
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

  // Returns the rule with only the conditions that a request that leaves out everything it can may
  // fail.
  [[nodiscard]] RuleSpec WithoutLeftOut(const RuleSpec& rule) const {
    RuleSpec rest;
    for (const ConditionSpec& condition : rule.match) {
      if (!IsMet(condition)) rest.match.push_back(condition);
    }
    return rest;
  }

  // Finds the first rule such that no rule in staying_ is certain to limit or deny every request
  // that escapes it.
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
  std::vector<std::string_view> left_out_;  // final sources
  std::vector<Escaped> escaped_;
  std::vector<const RuleSpec*> staying_;  // rules that still limit or deny
};

}  // namespace

void CheckEscape(const DomainSpec& domain, ConfigProblems& problems) {
  EscapeCheck(domain, problems).Check();
}

}  // namespace sluice
