// Summarizes a rule set: the number of rules, and a hash of the files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "config/rules/read_rules.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// A hash that is equal for equal files on every machine. It distinguishes rule sets, but does not
// resist deliberate collisions.
struct RuleHash {
  std::uint64_t value = 0;

  friend bool operator==(const RuleHash&, const RuleHash&) = default;
};

// Hashes the contents and the names in order. Uses only the last component of each name, so that
// the same files have the same hash in any directory.
RuleHash HashOf(std::span<const RuleText> texts);

// Returns the hash as sixteen hexadecimal digits.
std::string HexText(RuleHash hash);

// Returns "3 files, 1 domain, 8 rules, 2 descriptors". Counts only descriptors with a limit, and
// leaves them out if there are none.
std::string CountText(const RuleSetSpec& spec);

}  // namespace sluice
