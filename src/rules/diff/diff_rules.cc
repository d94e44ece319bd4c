#include "rules/diff/diff_rules.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "rules/diff/diff_descriptors.h"
#include "rules/diff/diff_limits.h"
#include "rules/diff/diff_order.h"
#include "rules/diff/diff_rule.h"
#include "rules/model/rule_words.h"

namespace sluice {
namespace {

// The maximum number of list values or rule names in one sentence.
constexpr std::size_t kMaxNamed = 5;

template <typename T>
std::unordered_map<std::string_view, const T*> ByName(const std::vector<T>& items) {
  std::unordered_map<std::string_view, const T*> by_name;
  for (const T& item : items) by_name.emplace(item.name, &item);
  return by_name;
}

// Returns "'a', 'b' and 3 more".
std::string NamesOf(const std::vector<std::string_view>& names) {
  const std::size_t named = std::min(names.size(), kMaxNamed);
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    text += Concat(i == 0 ? "" : ", ", Quoted(names[i]));
  }
  return named == names.size() ? text : Concat(text, " and ", names.size() - named, " more");
}

// Returns the elements of `values` that are not in `others`, each once, regardless of spelling.
std::vector<std::string_view> Without(const std::vector<std::string>& values,
                                      const std::vector<std::string>& others) {
  std::unordered_set<std::string> seen;
  for (const std::string& value : others) seen.insert(SpellingOf(value));
  std::vector<std::string_view> left;
  for (const std::string& value : values) {
    if (seen.insert(SpellingOf(value)).second) left.emplace_back(value);
  }
  return left;
}

// Returns whether the rule charges the limits of the domain's plans.
bool ChargesPlans(const RuleSpec& rule) { return Limits(rule) && rule.plan.has_value(); }

bool ChargesPlans(const DomainSpec& domain) {
  return std::ranges::any_of(domain.rules, [](const RuleSpec& rule) { return ChargesPlans(rule); });
}

// The rules whose states have the same fate.
struct FateGroup {
  StateFate outcome;
  std::vector<std::string_view> rules;
};

// Returns the names of the enforced allow and deny rules, in the order in which they are read.
std::vector<std::string_view> DecidersOf(const DomainSpec& domain) {
  std::vector<std::string_view> names;
  for (const RuleSpec& rule : domain.rules) {
    if (rule.action != RuleAction::kLimit && rule.mode == RuleMode::kEnforce) {
      names.push_back(rule.name);
    }
  }
  return names;
}

// Compares two versions of one domain.
class DomainDiff {
 public:
  DomainDiff(const DomainSpec& before, const DomainSpec& after, std::vector<RuleChange>& changes)
      : before_(before), after_(after), changes_(changes) {}

  void Run() {
    DiffNamed(RuleSubject::kAttribute, &DomainSpec::aliases);
    DiffNamed(RuleSubject::kList, &DomainSpec::lists);
    DiffNamed(RuleSubject::kPlan, &DomainSpec::plans);
    DiffIpPrefix();
    DiffNamed(RuleSubject::kRule, &DomainSpec::rules);
    DiffOrder();
    DiffDescriptors(before_, after_, changes_);
  }

 private:
  SubjectChanges ChangesOf(RuleSubject subject, std::string_view name) {
    return {{after_.name, subject, std::string(name), Concat(WordOf(subject), " ", Quoted(name))},
            changes_};
  }

  template <typename T>
  void DiffNamed(RuleSubject subject, const std::vector<T> DomainSpec::*member) {
    const auto old_items = ByName(before_.*member);
    const auto new_items = ByName(after_.*member);
    for (const T& item : before_.*member) {
      if (new_items.contains(item.name)) continue;
      ChangesOf(subject, item.name).Removed(EffectOfRemoving(item));
    }
    for (const T& item : after_.*member) {
      SubjectChanges changes = ChangesOf(subject, item.name);
      const auto was = old_items.find(item.name);
      if (was == old_items.end()) {
        changes.Added(EffectOfAdding(item));
      } else {
        DiffItem(*was->second, item, changes);
      }
    }
  }

  static StateEffect EffectOfAdding(const RuleSpec& rule) {
    return Limits(rule) ? StateEffect::kAfresh : StateEffect::kNone;
  }
  static StateEffect EffectOfRemoving(const RuleSpec& rule) {
    return Limits(rule) ? StateEffect::kUnused : StateEffect::kNone;
  }
  [[nodiscard]] StateEffect EffectOfAdding(const PlanSpec& /*plan*/) const {
    return ChargesPlans(after_) ? StateEffect::kAfresh : StateEffect::kNone;
  }
  [[nodiscard]] StateEffect EffectOfRemoving(const PlanSpec& /*plan*/) const {
    return ChargesPlans(before_) ? StateEffect::kUnused : StateEffect::kNone;
  }
  static StateEffect EffectOfAdding(const ListSpec& /*list*/) { return StateEffect::kNone; }
  static StateEffect EffectOfRemoving(const ListSpec& /*list*/) { return StateEffect::kNone; }
  [[nodiscard]] StateEffect EffectOfAdding(const AliasSpec& alias) const {
    return EffectOn(alias.name, StateEffect::kStay);
  }
  [[nodiscard]] StateEffect EffectOfRemoving(const AliasSpec& alias) const {
    return EffectOn(alias.name, StateEffect::kStay);
  }

  // Returns how a new source of the attribute affects keys made of it: `where_alike`, unless the
  // attribute is an address in only one version.
  [[nodiscard]] StateEffect EffectOn(std::string_view attribute, StateEffect where_alike) const {
    const bool alike = IsAddress(before_, attribute) == IsAddress(after_, attribute);
    const bool in_keys = std::ranges::any_of(after_.rules, [&](const RuleSpec& rule) {
      return Limits(rule) && std::ranges::any_of(rule.per, [&](const KeyPartSpec& part) {
               return std::ranges::any_of(part.attributes, [&](const std::string& each) {
                 return IsTakenFrom(each, attribute);
               });
             });
    });
    if (!in_keys) return StateEffect::kNone;
    return alike ? where_alike : StateEffect::kAfresh;
  }

  // Returns whether `attribute` is `source` or takes its value from it.
  [[nodiscard]] bool IsTakenFrom(std::string_view attribute, std::string_view source) const {
    for (std::size_t steps = 0; steps <= after_.aliases.size(); ++steps) {
      if (attribute == source) return true;
      const auto alias = std::ranges::find(after_.aliases, attribute, &AliasSpec::name);
      if (alias == after_.aliases.end()) return false;
      attribute = alias->source;
    }
    return false;
  }

  void DiffItem(const AliasSpec& before, const AliasSpec& after, SubjectChanges& changes) const {
    if (before.source == after.source) return;
    changes.Changed(Concat(before.source, " -> ", after.source),
                    EffectOn(after.name, StateEffect::kByValue));
  }

  static void DiffItem(const ListSpec& before, const ListSpec& after, SubjectChanges& changes) {
    const std::vector<std::string_view> removed = Without(before.values, after.values);
    const std::vector<std::string_view> added = Without(after.values, before.values);
    if (!removed.empty()) {
      changes.Changed(Concat("removed ", NamesOf(removed)), StateEffect::kNone);
    }
    if (!added.empty()) changes.Changed(Concat("added ", NamesOf(added)), StateEffect::kNone);
  }

  // Every rule that chooses a plan has states of its own for the plan's limits, under the rule's
  // key. If keys change in some of these rules and not in others, the change is therefore reported
  // once per group of rules.
  void DiffItem(const PlanSpec& before, const PlanSpec& after, SubjectChanges& changes) {
    const std::vector<FateGroup> groups = FatesOfPlans();
    if (groups.size() == 1) {
      DiffLimits(before.limits, after.limits, groups[0].outcome, changes);
      return;
    }
    for (const FateGroup& group : groups) {
      SubjectChanges in_rules(
          {after_.name, RuleSubject::kPlan, after.name,
           Concat("plan ", Quoted(after.name), group.rules.size() == 1 ? " in rule " : " in rules ",
                  NamesOf(group.rules))},
          changes_);
      DiffLimits(before.limits, after.limits, group.outcome, in_rules);
    }
  }

  // Groups the rules that charge plans in both versions by what happens to their states. A rule
  // that is added or removed is left out, because its own change reports its states. If there are
  // no such rules, returns a single group without rules.
  [[nodiscard]] std::vector<FateGroup> FatesOfPlans() const {
    std::vector<FateGroup> groups;
    const auto old_rules = ByName(before_.rules);
    for (const RuleSpec& rule : after_.rules) {
      const auto was = old_rules.find(rule.name);
      if (!ChargesPlans(rule) || was == old_rules.end() || !ChargesPlans(*was->second)) continue;
      StateFate outcome = FateOf({before_, *was->second, after_, rule});
      // The change of the key reports which states are found.
      if (outcome.keys == KeyChange::kByValue) outcome.keys = KeyChange::kSame;
      auto group = std::ranges::find(groups, outcome, &FateGroup::outcome);
      if (group == groups.end()) group = groups.insert(group, {outcome, {}});
      group->rules.emplace_back(rule.name);
    }
    if (!groups.empty()) return groups;
    const bool was = ChargesPlans(before_);
    const bool is = ChargesPlans(after_);
    if (was) return {{{KeyChange::kOther, is ? InForce::kBoth : InForce::kBefore}, {}}};
    return {{{KeyChange::kOther, is ? InForce::kAfter : InForce::kNeither}, {}}};
  }

  void DiffItem(const RuleSpec& before, const RuleSpec& after, SubjectChanges& changes) const {
    DiffRule({before_, before, after_, after}, changes);
  }

  void DiffIpPrefix() {
    std::vector<std::string_view> rules;
    for (const RuleSpec& rule : after_.rules) {
      if (Limits(rule) && HasAddressInKey(after_, rule)) rules.emplace_back(rule.name);
    }
    const auto diff = [&](std::string_view version, int before, int after) {
      if (before == after) return;
      SubjectChanges changes({after_.name, RuleSubject::kIpPrefix, std::string(version),
                              Concat("ip_prefix ", version)},
                             changes_);
      changes.Changed(
          Concat(
              before, " -> ", after,
              rules.empty() ? "" : Concat(", another key for such addresses in ", NamesOf(rules))),
          rules.empty() ? StateEffect::kNone : StateEffect::kAfresh);
    };
    diff("v4", before_.ip_prefix.v4, after_.ip_prefix.v4);
    diff("v6", before_.ip_prefix.v6, after_.ip_prefix.v6);
  }

  // The first allow or deny rule that matches decides, so only their order matters.
  void DiffOrder() {
    const auto rules = ByName(after_.rules);
    const std::vector<std::string_view> old_order = DecidersOf(before_);
    const std::vector<std::string_view> new_order = DecidersOf(after_);
    const auto label = [&](std::string_view name) {
      return Concat("rule ", Quoted(name), " (", WordOf(rules.at(name)->action), ")");
    };
    for (const Move& move : FindMoves(old_order, new_order)) {
      ChangesOf(RuleSubject::kRule, move.name)
          .Moved(Concat("(", WordOf(rules.at(move.name)->action), ") ",
                        move.where == Move::Where::kBefore ? "moved before " : "moved after ",
                        label(move.neighbor)));
    }
  }

  const DomainSpec& before_;
  const DomainSpec& after_;
  std::vector<RuleChange>& changes_;
};

SubjectChanges ChangesOf(const DomainSpec& domain, std::vector<RuleChange>& changes) {
  return {{domain.name, RuleSubject::kDomain, domain.name, "domain"}, changes};
}

}  // namespace

std::vector<RuleChange> DiffRules(const RuleSetSpec& before, const RuleSetSpec& after) {
  std::vector<RuleChange> changes;
  const auto old_domains = ByName(before.domains);
  const auto new_domains = ByName(after.domains);
  for (const DomainSpec& domain : before.domains) {
    if (new_domains.contains(domain.name)) continue;
    ChangesOf(domain, changes).Removed(StateEffect::kUnused);
  }
  for (const DomainSpec& domain : after.domains) {
    const auto was = old_domains.find(domain.name);
    if (was == old_domains.end()) {
      ChangesOf(domain, changes).Added(StateEffect::kAfresh);
    } else {
      DomainDiff(*was->second, domain, changes).Run();
    }
  }
  return changes;
}

}  // namespace sluice
