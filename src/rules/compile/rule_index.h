// RuleIndex: finds the rules that a request may match, without evaluating each of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/compile/bits.h"
#include "rules/compile/literal_map.h"
#include "rules/compile/prefix_map.h"
#include "rules/compile/regex.h"
#include "rules/compile/text_map.h"
#include "rules/model/attribute_value.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Finds the candidates of a request: every rule that matches is one, and, with a thousand rules for
// a thousand paths, few others are.
//
// Each rule is indexed by its most selective condition: preferably by whole values of an attribute,
// then by what globs begin with or contain, then by regular expressions, which are all tested at
// once. A rule without such a condition is always a candidate.
//
// Thread safety: any number of threads may read once Finish has been called.
class RuleIndex {
 public:
  // The attributes of a domain: their slots, which are the indexes of the values given to Collect,
  // and the names of those whose values are addresses or paths.
  struct Attributes {
    const TextMap& slot_of;
    const std::set<std::string, std::less<>>& addresses;
    const std::set<std::string, std::less<>>& paths;
  };

  // Adds rule number `rule` to the index.
  void File(std::uint32_t rule, const RuleSpec& spec, const Attributes& attributes);
  // Completes the index. Rules for which `literals` has no room are always candidates.
  // REQUIRES: all of `rules` rules have been added.
  void Finish(std::uint32_t rules, LiteralRoom& literals);

  // Sets `candidates` to all rules that may match. `seen` is scratch memory. However often a value
  // contains a literal, the rules of that literal are added only once.
  void Collect(std::span<const AttributeValue> values, Bits& candidates, Bits& seen) const;

 private:
  struct Slot {
    std::uint32_t slot = 0;
    bool is_path = false;  // ignore a trailing slash, as Matcher does
    TextMap whole;         // value to index of lists_
    // The literals that values begin with and those that they contain, each to an index of lists_.
    // Finish moves the by_... maps into `prefixes` and `literals`.
    std::map<std::string, std::uint32_t> by_prefix;
    std::map<std::string, std::uint32_t> by_literal;
    PrefixMap prefixes;
    LiteralMap literals;
    // All regular expressions joined in one, and the rules that are candidates if it matches.
    std::string any_of;
    std::optional<Regex> any;
    std::vector<std::uint32_t> regex_rules;
  };

  // Returns how selective a condition is; 0 if it cannot be indexed.
  static std::size_t Worth(const ConditionSpec& condition, const Attributes& attributes);
  Slot& SlotOf(std::uint32_t slot);
  void FileUnder(std::uint32_t rule, const ConditionSpec& condition, Slot& slot);
  std::uint32_t ListFor(const std::string& text, Slot& slot);

  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<std::uint32_t> unfiled_;
  Bits always_;
  bool has_literals_ = false;
};

}  // namespace sluice
