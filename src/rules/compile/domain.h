// Domain: the compiled rules of one domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/compile/bits.h"
#include "rules/compile/compiled_rule.h"
#include "rules/compile/descriptor_tree.h"
#include "rules/compile/literal_map.h"
#include "rules/compile/match.h"
#include "rules/compile/rule_index.h"
#include "rules/compile/rule_limit.h"
#include "rules/compile/text_map.h"
#include "rules/compile/value_list.h"
#include "rules/model/rule_spec.h"
#include "sluice/attribute.h"

namespace sluice {

// Matches sets of attributes against the rules and computes the charges.
//
// Thread safety: any number of threads may match, each with its own Match.
// Ownership: points into the DomainSpec, which must outlive it.
//
// Invariants
//   (1) allow and deny rules are evaluated first, in file order; the first that matches decides,
//       and nothing is charged.
//   (2) A limit rule applies if its match holds, every part of its key is present, it has a limit
//       for the request, it is not off, and no enforced rule that applies replaces it.
//   (3) Globs and regexes of an address attribute are matched with the canonical text of the
//       address (FormatIpAddress), however the request spells it.
//   (4) Keys with different parts are always different; see KeyWriter.
//   (5) If the path has two forms, a condition of a limit or deny rule holds if either form meets
//       it, and a condition of an allow rule only if both do. In limit and deny rules, `not`
//       therefore excludes a request only if both forms are excluded. A rule that matches with one
//       form only does not replace other rules.
class Domain {
 public:
  // Appends its limits to `limits`, and takes the memory that its index needs from `literals`.
  // REQUIRES: CheckRules found no error.
  Domain(const DomainSpec& spec, std::vector<RuleLimit>& limits, LiteralRoom& literals);

  [[nodiscard]] const DomainSpec& spec() const { return *spec_; }

  // Matches one set of attributes and stores the decision or the charges in `match`. REQUIRES:
  // `match` is clear.
  void MatchRules(const MatchedAttributes& matched, Cost cost, Match& match) const;
  void MatchRules(std::span<const Attribute> attributes, Cost cost, Match& match) const {
    MatchRules(MatchedAttributes{.attributes = attributes}, cost, match);
  }

  // Matches the same attributes, in their order, with the descriptors and adds the charge.
  void MatchDescriptor(std::span<const Attribute> entries, Cost cost, Match& match) const {
    descriptors_.Find(entries, cost, match);
  }

  // Removes the charges of descriptors that another descriptor of the same request replaces.
  // `replaced` is scratch memory.
  void DropReplacedDescriptors(std::span<Match> matches, Bits& replaced) const {
    descriptors_.DropReplaced(matches, replaced);
  }

 private:
  friend class DomainCompiler;
  friend class DomainExplainer;

  // Sets the values of the match. Returns false if an attribute is repeated and must not be, or has
  // another value in `lenient_attributes`.
  bool Bind(const MatchedAttributes& matched, Match& match) const;
  [[nodiscard]] bool IsReadAlike(std::span<const Attribute> lenient_attributes,
                                 const Match& match) const;
  void TakeAliases(std::vector<AttributeValue>& values) const;
  void RestateAddresses(Match& match) const;
  // Sets the values for the strict form of the path, and adds the candidates that match it.
  void BindStrict(const MatchedAttributes& matched, Match& match) const;
  // Returns whether the rule's match holds.
  static bool Holds(const CompiledRule& rule, Match& match);
  static bool ConditionHolds(const CompiledRule& rule, std::size_t condition, Match& match);
  // REQUIRES: the path has two forms.
  static bool HoldsInBothForms(const CompiledRule& rule, Match& match);
  // Returns whether a rule that applies also replaces others.
  bool Replaces(const CompiledRule& rule, Match& match) const;
  // Returns which attribute provides the part of a key: the index of the first that is present, or
  // kNoSource.
  [[nodiscard]] static std::size_t SourceOf(const std::vector<KeySource>& part, const Match& match);
  [[nodiscard]] static bool HasKey(const CompiledRule& rule, const Match& match);
  [[nodiscard]] static LimitRange LimitsFor(const CompiledRule& rule, const Match& match);
  void DropReplaced(Match& match) const;
  [[nodiscard]] static bool IsEnforced(const CompiledRule& rule, std::string_view key,
                                       const HashSeed* secret);
  [[nodiscard]] bool IsEnforcedFor(const CompiledRule& rule, Match& match) const;
  void WriteKey(const CompiledRule& rule, Match& match, RuleCharge& charge) const;
  // Adds the charges of one rule. Returns false if its cost is invalid and it is enforced.
  bool AddCharges(const CompiledRule& rule, Cost cost, Match& match) const;

  static constexpr std::size_t kNoSource = SIZE_MAX;

  struct Alias {
    std::uint32_t slot = 0;
    std::uint32_t source = 0;
  };

  // A list in which a rule looks up an attribute.
  struct Lookup {
    std::uint32_t slot = 0;
    std::shared_ptr<const ValueList> list;

    friend bool operator==(const Lookup&, const Lookup&) = default;
  };

  const DomainSpec* spec_;
  TextMap slot_of_;
  std::uint32_t slots_ = 0;
  std::uint32_t path_slot_ = TextMap::kNone;  // kNone if no rule uses the path
  std::vector<Alias> aliases_;                // an alias comes after the alias that is its source
  std::vector<std::uint32_t> address_slots_;  // addresses that globs or regexes are matched with
  std::vector<Lookup> lookups_;               // the first few
  std::vector<CompiledRule> rules_;           // allow and deny rules, then limit rules; none is off
  std::uint32_t gates_ = 0;                   // number of allow and deny rules
  // Rules that replace others, each before the ones that it replaces.
  std::vector<std::uint32_t> replacing_;
  RuleIndex index_;
  DescriptorTree descriptors_;
};

}  // namespace sluice
