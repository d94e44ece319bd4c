// Builds a Domain from its spec.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/compile/domain.h"
#include "rules/model/glob.h"

namespace sluice {

// Fills in one Domain. Used once, while the Domain is constructed.
class DomainCompiler {
 public:
  DomainCompiler(Domain& domain, std::vector<RuleLimit>& limits)
      : domain_(domain), spec_(*domain.spec_), limits_(limits) {}

  void Compile(LiteralRoom& literals) {
    CompileLists();
    CompileAliases();
    for (const RuleSpec& rule : spec_.rules) {
      if (rule.action != RuleAction::kLimit && rule.mode == RuleMode::kEnforce) CompileRule(rule);
    }
    domain_.gates_ = Count();
    for (const RuleSpec& rule : spec_.rules) {
      if (rule.action == RuleAction::kLimit && rule.mode != RuleMode::kOff) CompileRule(rule);
    }
    CompileReplaces();
    domain_.path_slot_ = domain_.slot_of_.Find(kPathAttribute);
    domain_.index_.Finish(Count(), literals);
  }

 private:
  [[nodiscard]] std::uint32_t Count() const {
    return static_cast<std::uint32_t>(domain_.rules_.size());
  }

  std::uint32_t SlotOf(std::string_view attribute) {
    const std::uint32_t slot = domain_.slot_of_.FindOrAdd(attribute, domain_.slots_);
    if (slot == domain_.slots_) ++domain_.slots_;
    return slot;
  }

  void CompileLists() {
    for (const ListSpec& list : spec_.lists) {
      lists_.push_back({list.name, std::make_shared<const ValueList>(list.values), nullptr});
    }
  }

  // Builds the second form of a list, which is only used if a rule looks up a path in the list.
  void CompilePathList(std::string_view name) {
    const auto spec = std::ranges::find(spec_.lists, name, &ListSpec::name);
    Matcher::List& list = *std::ranges::find(lists_, name, &Matcher::List::name);
    if (list.paths != nullptr) return;
    list.paths = std::make_shared<const ValueList>(ValueList::OfPaths(spec->values));
  }

  // Adds aliases so that an alias of another alias comes after it.
  void CompileAliases() {
    std::unordered_map<std::string_view, const AliasSpec*> left;
    for (const AliasSpec& alias : spec_.aliases) left.emplace(alias.name, &alias);
    std::vector<const AliasSpec*> chain;  // each is the source of the one before it
    for (const AliasSpec& first : spec_.aliases) {
      for (auto next = left.find(first.name); next != left.end();
           next = left.find(chain.back()->source)) {
        chain.push_back(next->second);
        left.erase(next);
      }
      for (; !chain.empty(); chain.pop_back()) AddAlias(*chain.back());
    }
  }

  void AddAlias(const AliasSpec& alias) {
    domain_.aliases_.push_back({SlotOf(alias.name), SlotOf(alias.source)});
    if (alias.name == kPathAttribute) return;  // `path` is a path, whatever its source
    if (addresses_.contains(alias.source)) addresses_.insert(alias.name);
    if (paths_.contains(alias.source)) paths_.insert(alias.name);
  }

  // Adds the limits of a rule, or the limits that one plan has for it.
  LimitRange AddLimits(const RuleSpec& rule, const std::vector<NamedLimit>& named,
                       const RuleLimitId& above, std::string_view plan = {}) {
    const LimitRange range{static_cast<std::uint32_t>(limits_.size()),
                           static_cast<std::uint32_t>(named.size())};
    for (const NamedLimit& each : named) {
      RuleLimitId id = above;
      limits_.push_back(
          {id.Add(each.name).text(), rule.name, each.name, &each.limit, spec_.name, plan, &rule});
    }
    return range;
  }

  CompiledPlans CompilePlans(const RuleSpec& rule, const RuleLimitId& above) {
    CompiledPlans plans;
    plans.by = SlotOf(rule.plan->by);
    for (const PlanSpec& plan : spec_.plans) {
      plans.range_of.FindOrAdd(plan.name, static_cast<std::uint32_t>(plans.ranges.size()));
      RuleLimitId id = above;
      plans.ranges.push_back(AddLimits(rule, plan.limits, id.Add(plan.name), plan.name));
    }
    if (rule.plan->otherwise) plans.otherwise = plans.range_of.Find(*rule.plan->otherwise);
    return plans;
  }

  void AddAddressSlot(std::uint32_t slot, const MatcherSpec& matcher) {
    const bool by_text = matcher.kind == MatcherSpec::Kind::kRegex ||
                         (matcher.kind == MatcherSpec::Kind::kValues &&
                          std::any_of(matcher.texts.begin(), matcher.texts.end(), Glob::IsGlob));
    std::vector<std::uint32_t>& slots = domain_.address_slots_;
    const bool known = std::find(slots.begin(), slots.end(), slot) != slots.end();
    if (by_text && !known) slots.push_back(slot);
  }

  void AddLookup(std::uint32_t slot, const MatcherSpec& matcher) {
    constexpr std::size_t kMaxLookups = 4;
    if (matcher.kind != MatcherSpec::Kind::kIn) return;
    const auto list = std::ranges::find(lists_, matcher.texts.front(), &Matcher::List::name);
    const Domain::Lookup lookup{slot, list->values};
    std::vector<Domain::Lookup>& known = domain_.lookups_;
    const bool is_known = std::ranges::find(known, lookup) != known.end();
    if (!is_known && known.size() < kMaxLookups) known.push_back(lookup);
  }

  [[nodiscard]] AttributeKind KindOf(std::string_view attribute) const {
    if (addresses_.contains(attribute)) return AttributeKind::kAddresses;
    return paths_.contains(attribute) ? AttributeKind::kPaths : AttributeKind::kTexts;
  }

  void CompileRule(const RuleSpec& spec) {
    CompiledRule rule;
    rule.spec = &spec;
    for (const ConditionSpec& condition : spec.match) {
      const AttributeKind kind = KindOf(condition.attribute);
      const std::uint32_t slot = SlotOf(condition.attribute);
      if (kind == AttributeKind::kPaths && condition.matcher.kind == MatcherSpec::Kind::kIn) {
        CompilePathList(condition.matcher.texts.front());
      }
      if (kind == AttributeKind::kAddresses) AddAddressSlot(slot, condition.matcher);
      AddLookup(slot, condition.matcher);
      rule.conditions.emplace_back(slot, Matcher(condition.matcher, kind, lists_));
    }
    for (const KeyPartSpec& part : spec.per) {
      std::vector<KeySource>& sources = rule.per.emplace_back();
      for (const std::string& attribute : part.attributes) {
        sources.push_back({SlotOf(attribute), KindOf(attribute)});
      }
    }
    RuleLimitId id(spec_.name);
    id.Add("rules").Add(spec.name);
    rule.limits = AddLimits(spec, spec.limits, id);
    if (spec.plan) rule.plans = CompilePlans(spec, id);
    if (spec.cost) {
      if (const auto* const attribute = std::get_if<std::string>(&*spec.cost)) {
        rule.cost_slot = SlotOf(*attribute);
      }
    }
    rule.share = SipHash(HashSeed{});
    rule.share.Absorb(id.text());
    number_of_.emplace(spec.name, Count());
    domain_.index_.File(Count(), spec, {domain_.slot_of_, addresses_, paths_});
    domain_.rules_.push_back(std::move(rule));
  }

  // Orders the rules so that a rule is processed before the rules that it replaces: a rule that is
  // itself replaced must not replace others.
  void CompileReplaces() {
    for (CompiledRule& rule : domain_.rules_) {
      for (const ReplacedSpec& replaced : rule.spec->replaces) {
        const auto found = number_of_.find(replaced.name);
        if (found != number_of_.end()) rule.replaces.push_back(found->second);
      }
    }
    Bits done(domain_.rules_.size());
    for (std::uint32_t i = 0; i < Count(); ++i) AddReplacing(i, done);
    std::reverse(domain_.replacing_.begin(), domain_.replacing_.end());
  }

  // Walks depth first, so that a rule is added after all rules that it replaces. There are no
  // cycles, because CheckRules rejects them.
  void AddReplacing(std::uint32_t number, Bits& done) {
    if (done.Has(number)) return;
    done.Add(number);
    for (const std::uint32_t replaced : domain_.rules_[number].replaces) {
      AddReplacing(replaced, done);
    }
    if (!domain_.rules_[number].replaces.empty()) domain_.replacing_.push_back(number);
  }

  Domain& domain_;
  const DomainSpec& spec_;
  std::vector<RuleLimit>& limits_;
  Matcher::Lists lists_;
  // These names include aliases. No attribute is both an address and a path.
  std::set<std::string, std::less<>> addresses_{std::string(kIpAttribute)};
  std::set<std::string, std::less<>> paths_{std::string(kPathAttribute)};
  std::map<std::string, std::uint32_t, std::less<>> number_of_;
};

Domain::Domain(const DomainSpec& spec, std::vector<RuleLimit>& limits, LiteralRoom& literals)
    : spec_(&spec), descriptors_(spec, limits) {
  DomainCompiler(*this, limits).Compile(literals);
}

}  // namespace sluice
