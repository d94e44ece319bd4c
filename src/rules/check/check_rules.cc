#include "rules/check/check_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "base/text.h"
#include "rules/check/check_aliases.h"
#include "rules/check/check_attributes.h"
#include "rules/check/check_escape.h"
#include "rules/check/check_limit_count.h"
#include "rules/check/check_lists.h"
#include "rules/check/check_matchable.h"
#include "rules/check/check_reach.h"
#include "rules/check/cycles.h"
#include "rules/compile/regex.h"

namespace sluice {
namespace {

// Bounds for suggestions: how many names a message lists, among how many names the nearest one is
// searched, and for how many unknown names. A search for each of a thousand references among a
// thousand names would take seconds.
constexpr std::size_t kMaxNamesListed = 10;
constexpr std::size_t kMaxNamesSearched = 1000;
constexpr std::size_t kMaxSearches = 50;

// The maximum total size of the regexes of a domain, in units of Regex::Size. Half a million units
// take a quarter of a second to compile, and eight kilobytes of rules can ask for ten times that. A
// regex that does not compile counts as kBadRegexSize, as if RE2 had given it up because it became
// too large.
constexpr std::size_t kMaxRegexSize = 500'000;
constexpr std::size_t kBadRegexSize = 10'000;

// Looks up items by name. Refers to the items.
template <typename T>
class ByName {
 public:
  explicit ByName(const std::vector<T>& items) {
    for (const T& item : items) {
      if (items_.emplace(item.name, &item).second) names_.push_back(item.name);
    }
  }

  [[nodiscard]] const T* Find(std::string_view name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : found->second;
  }

  // Returns "unknown list 'ofices'; did you mean 'offices'?". `asking` is the name of the item that
  // contains the reference and is never suggested.
  [[nodiscard]] std::string Unknown(std::string_view what, std::string_view name,
                                    std::string_view asking = {}) {
    std::string message = Concat("unknown ", what, " ", Quoted(name));
    if (names_.size() > kMaxNamesSearched || ++searches_ > kMaxSearches) return message;
    std::vector<std::string_view> others;
    std::ranges::remove_copy(names_, std::back_inserter(others), asking);
    if (others.empty()) {
      return Concat(message, "; the domain has no ", names_.empty() ? "" : "other ", what, "s");
    }
    if (others.size() <= kMaxNamesListed) return message + Suggestion(name, others);
    const std::string_view nearest = NearestWord(name, others);
    return nearest.empty() ? message : Concat(message, "; did you mean ", Quoted(nearest), "?");
  }

 private:
  std::unordered_map<std::string_view, const T*> items_;
  std::vector<std::string_view> names_;
  std::size_t searches_ = 0;
};

// Checks one domain. Refers to the domain and the problems.
class DomainCheck {
 public:
  DomainCheck(const DomainSpec& domain, ConfigProblems& problems)
      : domain_(domain),
        problems_(problems),
        lists_(domain.lists),
        plans_(domain.plans),
        rules_(domain.rules) {}

  void CheckAll() {
    for (const PlanSpec& plan : domain_.plans) CheckLimits(plan.limits);
    for (const RuleSpec& rule : domain_.rules) {
      for (const ConditionSpec& condition : rule.match) CheckCondition(condition);
      if (rule.action != RuleAction::kLimit) continue;  // the rest is for limit rules
      CheckLimits(rule.limits);
      CheckPlan(rule);
      CheckDebt(rule);
      CheckReplaces(rule);
    }
    CheckReplaceCycles();
    CheckDescriptorLimits(domain_.descriptors);
  }

  // Only warns, because the descriptor format allows `replaces` to name a limit that does not
  // exist.
  void CheckDescriptorNames() {
    std::vector<ReplacedSpec> names;
    GatherNames(domain_.descriptors, names);
    ByName<ReplacedSpec> by_name(names);
    WarnUnknown(domain_.descriptors, by_name);
  }

 private:
  void CheckCondition(const ConditionSpec& condition) {
    const MatcherSpec& matcher = condition.matcher;
    if (matcher.kind == MatcherSpec::Kind::kRegex) CheckRegex(matcher);
    if (matcher.kind != MatcherSpec::Kind::kIn) return;
    const ListSpec* list = lists_.Find(matcher.texts.front());
    if (list == nullptr) {
      if (domain_.partial) return;
      problems_.Error(matcher.origin, lists_.Unknown("list", matcher.texts.front()));
    }
  }

  void CheckRegex(const MatcherSpec& matcher) {
    if (regex_size_ > kMaxRegexSize) {
      if (!std::exchange(regexes_skipped_, true)) {
        problems_.Error(matcher.origin,
                        "this regex and those after it are not looked at; the ones before it are "
                        "too large together, or too many do not compile");
      }
      return;
    }
    const Result<Regex> regex = Regex::Compile(matcher.texts.front());
    if (!regex.ok()) problems_.Error(matcher.origin, regex.error().message);
    regex_size_ += regex.ok() ? regex.value().Size() : kBadRegexSize;
  }

  void CheckLimits(const std::vector<NamedLimit>& limits) {
    for (const NamedLimit& each : limits) CheckLimit(each.limit, each.origin);
  }

  void CheckLimit(const Limit& limit, const Origin& origin) {
    if (limit.spec.algorithm == Algorithm::kConcurrency) {
      problems_.Warn(origin,
                     "a check takes no permit, so in a service 'concurrency' limits nothing; "
                     "permits are acquired and released with the library alone");
    }
    if (limit.spec.algorithm != Algorithm::kLeakyBucket) return;
    if (limit.spec.burst != Fraction(0)) return;
    problems_.Warn(origin,
                   "with a 'burst' of 0 nothing may wait, so a leaky_bucket refuses whatever "
                   "does not come evenly spaced; did you mean a burst above 0?");
  }

  void CheckDescriptorLimits(const std::vector<DescriptorSpec>& siblings) {
    for (const DescriptorSpec& each : siblings) {
      const auto at = std::ranges::find(each.written, "rate_limit", &WrittenKey::key);
      if (each.limit) CheckLimit(*each.limit, at == each.written.end() ? each.origin : at->origin);
      CheckDescriptorLimits(each.descriptors);
    }
  }

  void CheckPlan(const RuleSpec& rule) {
    if (!rule.plan || domain_.partial) return;
    const PlanChoiceSpec& plan = *rule.plan;
    if (plan.otherwise && plans_.Find(*plan.otherwise) == nullptr) {
      problems_.Error(plan.origin, plans_.Unknown("plan", *plan.otherwise));
    } else if (domain_.plans.empty()) {
      problems_.Error(plan.origin, "'plan' needs plans to choose from; the domain has none");
    }
  }

  static bool HasPermits(const NamedLimit& each) {
    return each.limit.spec.algorithm == Algorithm::kConcurrency;
  }

  // A permit is either held or not, so there is no debt of permits.
  void CheckDebt(const RuleSpec& rule) {
    if (!rule.debt) return;
    for (const NamedLimit& each : rule.limits) {
      if (!HasPermits(each)) continue;
      problems_.Error(each.origin, "'debt' needs a limit of units; 'concurrency' has permits");
    }
    if (!rule.plan) return;
    for (const PlanSpec& plan : domain_.plans) {
      if (std::ranges::none_of(plan.limits, HasPermits)) continue;
      problems_.Error(rule.plan->origin,
                      Concat("'debt' needs a limit of units; 'concurrency' in the plan ",
                             Quoted(plan.name), " has permits"));
    }
  }

  void CheckReplaces(const RuleSpec& rule) {
    for (const ReplacedSpec& each : rule.replaces) {
      const RuleSpec* replaced = rules_.Find(each.name);
      if (replaced == nullptr) {
        if (domain_.partial) continue;
        problems_.Error(each.origin, rules_.Unknown("rule", each.name, rule.name));
      } else if (replaced == &rule) {
        problems_.Error(each.origin, Concat("the rule ", Quoted(rule.name), " replaces itself"));
      } else if (replaced->action != RuleAction::kLimit) {
        problems_.Warn(each.origin,
                       Concat(Quoted(each.name), " is ",
                              replaced->action == RuleAction::kAllow ? "an allow" : "a deny",
                              " rule, which decides before any other could replace it"));
      }
    }
  }

  void CheckReplaceCycles() {
    const std::vector<RuleSpec>& rules = domain_.rules;
    Edges edges(rules.size());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].action != RuleAction::kLimit) continue;
      for (const ReplacedSpec& each : rules[i].replaces) {
        const RuleSpec* replaced = rules_.Find(each.name);
        // A rule that replaces itself has already been reported.
        if (replaced == nullptr || replaced == &rules[i]) continue;
        edges[i].push_back(static_cast<std::size_t>(replaced - rules.data()));
      }
    }
    for (const std::vector<std::size_t>& cycle : FindCycles(edges)) {
      std::vector<std::string_view> names;
      names.reserve(cycle.size());
      for (const std::size_t rule : cycle) names.push_back(rules[rule].name);
      const auto& replaces = rules[cycle.front()].replaces;
      const auto next = std::ranges::find(replaces, names[1], &ReplacedSpec::name);
      problems_.Error(next->origin,
                      Concat("rules replace one another in a circle: ", DescribeCycle(names)));
    }
  }

  static void GatherNames(const std::vector<DescriptorSpec>& siblings,
                          std::vector<ReplacedSpec>& names) {
    for (const DescriptorSpec& each : siblings) {
      if (!each.limit_name.empty()) names.push_back({each.limit_name, each.origin});
      GatherNames(each.descriptors, names);
    }
  }

  void WarnUnknown(const std::vector<DescriptorSpec>& siblings, ByName<ReplacedSpec>& by_name) {
    for (const DescriptorSpec& each : siblings) {
      for (const ReplacedSpec& replaced : each.replaces) {
        if (by_name.Find(replaced.name) != nullptr) continue;
        problems_.Warn(replaced.origin, by_name.Unknown("named limit", replaced.name));
      }
      WarnUnknown(each.descriptors, by_name);
    }
  }

  const DomainSpec& domain_;
  ConfigProblems& problems_;
  ByName<ListSpec> lists_;
  ByName<PlanSpec> plans_;
  ByName<RuleSpec> rules_;
  std::size_t regex_size_ = 0;
  bool regexes_skipped_ = false;  // and this has been reported
};

}  // namespace

void CheckRules(const RuleSetSpec& spec, ConfigProblems& problems) {
  const bool read_well = problems.ErrorCount() == 0;
  CheckLimitCount(spec, problems);
  AttributeCheck attributes(spec);
  for (const DomainSpec& domain : spec.domains) {
    const std::size_t errors_before = problems.ErrorCount();
    DomainCheck check(domain, problems);
    check.CheckAll();
    CheckAliases(domain, problems);
    CheckLists(domain, problems);
    CheckReach(spec, domain, problems);
    if (!read_well) continue;
    check.CheckDescriptorNames();
    attributes.Check(domain, problems);
    CheckMatchable(domain, problems);
    // Skips the checks of how rules work together while some of them are wrong.
    if (problems.ErrorCount() > errors_before) continue;
    CheckReplaced(spec, domain, problems);
    CheckEscape(domain, problems);
  }
}

}  // namespace sluice
