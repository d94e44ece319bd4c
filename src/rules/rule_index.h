// RuleIndex: which rules a request may match, without asking each of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/attribute_value.h"
#include "rules/bits.h"
#include "rules/prefix_map.h"
#include "rules/rule_spec.h"
#include "rules/text_map.h"

namespace sluice {

// Finds the candidates: every rule that matches is one, and of a thousand rules for a thousand
// paths few others are.
//
// Each rule is filed under the one condition that says most: whole values of an attribute, else
// prefixes (of globs). A rule without such a condition is always a candidate.
//
// Thread safety: reading from any thread once Finish has been called.
class RuleIndex {
 public:
  // Files rule number `rule`. `slot_of` numbers the attributes as Collect is given their values.
  void File(std::uint32_t rule, const RuleSpec& spec, const TextMap& slot_of);
  // REQUIRES: all of `rules` rules have been filed.
  void Finish(std::uint32_t rules);

  // Sets `candidates` to all rules that may match.
  void Collect(std::span<const AttributeValue> values, Bits& candidates) const;

 private:
  struct Slot {
    std::uint32_t slot = 0;
    TextMap whole;                                   // value to an index of lists_
    std::map<std::string, std::uint32_t> by_prefix;  // until Finish
    PrefixMap prefixes;                              // prefix to an index of lists_
  };

  // How much a condition narrows the choice; 0 for not at all.
  static int Worth(const ConditionSpec& condition);
  Slot& SlotOf(std::uint32_t slot);
  void FileUnder(std::uint32_t rule, const ConditionSpec& condition, Slot& slot);

  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> lists_;
  std::vector<std::uint32_t> unfiled_;
  Bits always_;
};

}  // namespace sluice
