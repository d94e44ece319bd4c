#include "rules/compile/explain.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"
#include "rules/check/path_text.h"
#include "rules/model/ip_address.h"

namespace sluice {

// Explains one request. Whether a rule applies is taken from the match itself; this class only
// finds out why a rule does not apply.
class DomainExplainer {
 public:
  DomainExplainer(const Domain& domain, const MatchedAttributes& matched)
      : domain_(domain), attributes_(matched.attributes) {
    domain.MatchRules(matched, Cost{}, match_);
    if (match_.outcome() == MatchOutcome::kCharges) {
      domain.MatchDescriptor(attributes_, Cost{}, match_);
    }
  }

  Explanation Explain() {
    Explanation all;
    for (const RuleSpec& rule : domain_.spec().rules) all.rules.push_back(ExplainRule(rule));
    all.descriptor = ExplainDescriptor();
    return all;
  }

 private:
  RuleExplanation ExplainRule(const RuleSpec& spec) {
    RuleExplanation why;
    why.rule = &spec;
    const std::vector<CompiledRule>& rules = domain_.rules_;
    const auto found = std::ranges::find(rules, &spec, &CompiledRule::spec);
    if (found == rules.end()) return why;  // off
    const auto number = static_cast<std::size_t>(found - rules.begin());
    if (match_.outcome() == MatchOutcome::kRepeated) {
      why.outcome = RuleFate::kRepeated;
    } else if (match_.outcome() == MatchOutcome::kAllow ||
               match_.outcome() == MatchOutcome::kDeny) {
      ExplainDecided(*found, why);
    } else if (match_.applying_.Has(number)) {
      ExplainApplying(*found, why);
    } else {
      FindReason(*found, number, why);
    }
    return why;
  }

  // Rules before the one that decided did not match; rules after it were not evaluated. The rules
  // are in the order of evaluation.
  void ExplainDecided(const CompiledRule& rule, RuleExplanation& why) {
    const CompiledRule* const decided_by = match_.decided_by();
    if (&rule == decided_by) {
      why.outcome = RuleFate::kDecides;
    } else if (&rule > decided_by) {
      why.outcome = RuleFate::kNotAsked;
      why.other = decided_by->spec;
    } else {
      const bool failed = FindFailedCondition(rule, why);
      assert(failed);
      static_cast<void>(failed);
    }
  }

  void ExplainApplying(const CompiledRule& rule, RuleExplanation& why) {
    if (match_.outcome() == MatchOutcome::kCharges) {
      why.outcome = RuleFate::kApplies;
      why.key = KeyOf(rule);
    } else if (match_.decided_by() == &rule) {
      why.outcome = RuleFate::kBadCost;
      why.value = ValueOf(rule.cost_slot);
    } else {
      why.outcome = RuleFate::kNotCharged;
      why.other = match_.decided_by()->spec;
    }
  }

  // Asks the same questions as matching, in the same order.
  void FindReason(const CompiledRule& rule, std::size_t number, RuleExplanation& why) {
    if (FindFailedCondition(rule, why) || FindMissingPart(rule, why)) return;
    if (Domain::LimitsFor(rule, match_).count == 0) {
      why.outcome = RuleFate::kNoPlan;
      why.value = ValueOf(rule.plans->by);
      return;
    }
    why.outcome = RuleFate::kReplaced;
    // A rule that replaces this one applies itself, because it was processed earlier.
    for (const std::uint32_t other : domain_.replacing_) {
      const CompiledRule& replacing = domain_.rules_[other];
      if (!match_.applying_.Has(other) || !domain_.Replaces(replacing, match_)) continue;
      if (std::ranges::find(replacing.replaces, number) != replacing.replaces.end()) {
        why.other = replacing.spec;
      }
    }
    assert(why.other != nullptr);
  }

  bool FindFailedCondition(const CompiledRule& rule, RuleExplanation& why) {
    for (std::size_t i = 0; i < rule.conditions.size(); ++i) {
      if (Domain::ConditionHolds(rule, i, match_)) continue;
      const std::uint32_t slot = rule.conditions[i].first;
      why.outcome = RuleFate::kNoMatch;
      why.condition = &rule.spec->match[i];
      why.value = ValueOf(slot);
      if (match_.has_two_forms_) {
        const AttributeValue& strict = match_.strict_values_[slot];
        if (strict.present() && strict.text() != why.value) why.strict_value = strict.text();
      }
      return true;
    }
    return false;
  }

  bool FindMissingPart(const CompiledRule& rule, RuleExplanation& why) {
    for (std::size_t i = 0; i < rule.per.size(); ++i) {
      if (Domain::SourceOf(rule.per[i], match_) != Domain::kNoSource) continue;
      why.outcome = RuleFate::kNoKey;
      why.part = &rule.spec->per[i];
      return true;
    }
    return false;
  }

  std::optional<std::string_view> ValueOf(std::uint32_t slot) {
    const AttributeValue& value = match_.values_[slot];
    if (!value.present()) return std::nullopt;
    return value.text();
  }

  std::vector<ExplainedKeyPart> KeyOf(const CompiledRule& rule) {
    std::vector<ExplainedKeyPart> key;
    for (std::size_t i = 0; i < rule.per.size(); ++i) {
      const std::size_t source = Domain::SourceOf(rule.per[i], match_);
      AttributeValue& value = match_.values_[rule.per[i][source].slot];
      key.push_back(
          {rule.spec->per[i].attributes[source], KeyText(rule.per[i][source].kind, value)});
    }
    return key;
  }

  [[nodiscard]] std::string KeyText(AttributeKind kind, AttributeValue& value) const {
    if (kind == AttributeKind::kAddresses && value.Ip()) return CutText(*value.Ip());
    return std::string(kind == AttributeKind::kPaths ? WithoutTrailingSlash(value.text())
                                                     : value.text());
  }

  [[nodiscard]] std::string CutText(const IpAddress& address) const {
    const IpPrefixLengths lengths = domain_.spec().ip_prefix;
    const std::string text = FormatIpAddress(Cut(address, lengths));
    const bool whole = address.IsV4() ? lengths.v4 == 32 : lengths.v6 == 128;
    return whole ? text : Concat(text, "/", address.IsV4() ? lengths.v4 : lengths.v6);
  }

  DescriptorExplanation ExplainDescriptor() {
    DescriptorExplanation why;
    if (domain_.spec().descriptors.empty() || attributes_.empty()) return why;
    if (match_.outcome() != MatchOutcome::kCharges) {
      why.outcome = DescriptorFate::kNotAsked;
      return why;
    }
    Walk(why);
    if (why.depth < attributes_.size()) return why;
    assert(why.node == match_.node());
    const bool charged = std::ranges::any_of(
        match_.charges(), [](const RuleCharge& charge) { return charge.node != nullptr; });
    if (charged) {
      why.outcome = DescriptorFate::kApplies;
    } else {
      why.outcome =
          why.node->spec->unlimited ? DescriptorFate::kUnlimited : DescriptorFate::kNoLimit;
      why.key.clear();
    }
    return why;
  }

  // Walks down the tree as long as entries match.
  void Walk(DescriptorExplanation& why) {
    const DescriptorTree& tree = domain_.descriptors_;
    const DescriptorNode* at = &tree.Root();
    for (const Attribute& entry : attributes_) {
      const DescriptorNode* const next = tree.Next(*at, entry);
      if (next == nullptr) {
        const bool has_key = at->keys.Find(entry.name) != TextMap::kNone;
        why.outcome = has_key ? DescriptorFate::kNoValue : DescriptorFate::kNoKey;
        why.key.clear();
        return;
      }
      at = why.node = next;
      ++why.depth;
      if (ValueMakesKey(*at->spec)) why.key.push_back({entry.name, std::string(entry.value)});
    }
  }

  const Domain& domain_;
  std::span<const Attribute> attributes_;
  Match match_;
};

Explanation Explain(const Domain& domain, const MatchedAttributes& matched) {
  return DomainExplainer(domain, matched).Explain();
}

}  // namespace sluice
