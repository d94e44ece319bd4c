// RuleIndex: which rules a request may match, without asking each of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/attribute_value.h"
#include "rules/bits.h"
#include "rules/literal_map.h"
#include "rules/prefix_map.h"
#include "rules/regex.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"

namespace sluice {

// Finds the candidates: every rule that matches is one, and of a thousand rules for a thousand
// paths few others are.
//
// Each rule is filed under the one condition that says most: whole values of an attribute, else
// what globs begin with or contain, else regular expressions, which are asked all at once. A rule
// without such a condition is always a candidate.
//
// Thread safety: reading from any thread once Finish has been called.
class RuleIndex {
 public:
  // The attributes of a domain: their numbers, as Collect is given their values, and the names of
  // those whose values are addresses or paths.
  struct Attributes {
    const TextMap& slot_of;
    const std::set<std::string, std::less<>>& addresses;
    const std::set<std::string, std::less<>>& paths;
  };

  // Files rule number `rule`.
  void File(std::uint32_t rule, const RuleSpec& spec, const Attributes& attributes);
  // Rules for which `literals` has no room are always candidates.
  // REQUIRES: all of `rules` rules have been filed.
  void Finish(std::uint32_t rules, LiteralRoom& literals);

  // Sets `candidates` to all rules that may match. `seen` is memory to work in. However often a
  // value contains a literal, its rules are walked through once.
  void Collect(std::span<const AttributeValue> values, Bits& candidates, Bits& seen) const;

 private:
  struct Slot {
    std::uint32_t slot = 0;
    bool is_path = false;  // a trailing slash is ignored, as Matcher ignores it
    TextMap whole;         // value to an index of lists_
    // To an index of lists_ each: what values begin with, and what they contain. The maps are those
    // of strings until Finish.
    std::map<std::string, std::uint32_t> by_prefix;
    std::map<std::string, std::uint32_t> by_literal;
    PrefixMap prefixes;
    LiteralMap literals;
    // All regular expressions in one, and the rules to ask where it matches.
    std::string any_of;
    std::optional<Regex> any;
    std::vector<std::uint32_t> regex_rules;
  };

  // How much a condition narrows the choice; 0 for not at all.
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
