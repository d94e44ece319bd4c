// A rule set in a few words: how much it holds, and a hash of its files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/read_rules.h"
#include "rules/rule_spec.h"

namespace sluice {

// Equal for equal files on every machine. Tells sets of rules apart; no protection against somebody
// who writes files to collide.
struct RuleHash {
  std::uint64_t value = 0;

  friend bool operator==(const RuleHash&, const RuleHash&) = default;
};

// Of the contents and the names, in order. Of a name the last part counts, so that the same files
// have the same hash wherever they lie.
RuleHash HashOf(std::span<const RuleText> texts);

// Sixteen hexadecimal digits.
std::string HexText(RuleHash hash);

// "3 files, 1 domain, 8 rules, 2 descriptors"; only descriptors with a limit count, and where there
// are none they are not mentioned.
std::string CountText(const RuleSetSpec& spec);

}  // namespace sluice
