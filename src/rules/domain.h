// Domain: the rules of one domain, compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/bits.h"
#include "rules/compiled_rule.h"
#include "rules/descriptor_tree.h"
#include "rules/literal_map.h"
#include "rules/match.h"
#include "rules/rule_index.h"
#include "rules/rule_limit.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"
#include "rules/value_list.h"
#include "sluice/attribute.h"

namespace sluice {

// Matches sets of attributes to the charges they come to.
//
// Thread safety: matching from any thread, each with a Match of its own.
// Ownership: points into the DomainSpec, which outlives it.
//
// Invariants
//   (1) allow and deny rules are asked first, in file order; the first that matches decides and
//       nothing is charged.
//   (2) A rule applies if its match holds, every part of its key is there, it has a limit for the
//       request, it is not off, and no applying enforced rule replaces it.
//   (3) A glob or a regex of an attribute that is an address is asked about the one text of that
//       address (FormatIpAddress), however the request writes it.
//   (4) Keys of different parts never run into each other; see KeyWriter.
//   (5) Where the path has two forms, each condition of a limit or deny rule holds if it does for
//       either of them, and of an allow rule if it does for both; so what `not` leaves out must be
//       left out in both. A rule that matches by one form alone replaces no others.
class Domain {
 public:
  // Appends its limits to `limits`, and takes of `literals` what its index needs.
  // REQUIRES: CheckRules found no error.
  Domain(const DomainSpec& spec, std::vector<RuleLimit>& limits, LiteralRoom& literals);

  [[nodiscard]] const DomainSpec& spec() const { return *spec_; }

  // Adds what the rules make of one set of attributes. REQUIRES: `match` is clear.
  void MatchRules(const MatchedAttributes& matched, Cost cost, Match& match) const;
  void MatchRules(std::span<const Attribute> attributes, Cost cost, Match& match) const {
    MatchRules(MatchedAttributes{.attributes = attributes}, cost, match);
  }

  // Adds what the descriptors make of the same entries, in their order.
  void MatchDescriptor(std::span<const Attribute> entries, Cost cost, Match& match) const {
    descriptors_.Find(entries, cost, match);
  }

  // Takes out what one descriptor of a request replaces of another. `replaced` is memory to work
  // in.
  void DropReplacedDescriptors(std::span<Match> matches, Bits& replaced) const {
    descriptors_.DropReplaced(matches, replaced);
  }

 private:
  friend class DomainCompiler;
  friend class DomainExplainer;

  // False if an attribute comes twice and may not, or is another one in `lenient_attributes`.
  bool Bind(const MatchedAttributes& matched, Match& match) const;
  [[nodiscard]] bool IsReadAlike(std::span<const Attribute> lenient_attributes,
                                 const Match& match) const;
  void TakeAliases(std::vector<AttributeValue>& values) const;
  void RestateAddresses(Match& match) const;
  // The same for the other form of the path, and adds the candidates that have it.
  void BindStrict(const MatchedAttributes& matched, Match& match) const;
  // Whether the rule's match holds.
  static bool Holds(const CompiledRule& rule, Match& match);
  static bool ConditionHolds(const CompiledRule& rule, std::size_t condition, Match& match);
  // REQUIRES: the path has two forms.
  static bool HoldsInBothForms(const CompiledRule& rule, Match& match);
  // Whether a rule that applies replaces others.
  bool Replaces(const CompiledRule& rule, Match& match) const;
  // Which of the attributes makes the part of a key: the first that is present, or kNoSource.
  [[nodiscard]] static std::size_t SourceOf(const std::vector<KeySource>& part, const Match& match);
  [[nodiscard]] static bool HasKey(const CompiledRule& rule, const Match& match);
  [[nodiscard]] static LimitRange LimitsFor(const CompiledRule& rule, const Match& match);
  void DropReplaced(Match& match) const;
  [[nodiscard]] static bool IsEnforced(const CompiledRule& rule, std::string_view key,
                                       const HashSeed* secret);
  [[nodiscard]] bool IsEnforcedFor(const CompiledRule& rule, Match& match) const;
  void WriteKey(const CompiledRule& rule, Match& match, RuleCharge& charge) const;
  // Adds the charges of one rule; false if its cost is none.
  bool AddCharges(const CompiledRule& rule, Cost cost, Match& match) const;

  static constexpr std::size_t kNoSource = SIZE_MAX;

  struct Alias {
    std::uint32_t slot = 0;
    std::uint32_t source = 0;
  };

  // A list that a rule looks for an attribute in.
  struct Lookup {
    std::uint32_t slot = 0;
    std::shared_ptr<const ValueList> list;

    friend bool operator==(const Lookup&, const Lookup&) = default;
  };

  const DomainSpec* spec_;
  TextMap slot_of_;
  std::uint32_t slots_ = 0;
  std::uint32_t path_slot_ = TextMap::kNone;  // kNone where no rule asks for the path
  std::vector<Alias> aliases_;                // those that others take their value from come first
  std::vector<std::uint32_t> address_slots_;  // addresses that globs or regexes are asked about
  std::vector<Lookup> lookups_;               // the first few there are
  std::vector<CompiledRule> rules_;       // allow and deny first, then the others; none that is off
  std::uint32_t gates_ = 0;               // how many of them allow or deny
  std::vector<std::uint32_t> replacing_;  // rules that replace others, after those replacing them
  RuleIndex index_;
  DescriptorTree descriptors_;
};

}  // namespace sluice
