// Describes the effective values of a rule: every key with its value or default, and where it was
// written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// The text that is shown for a missing value.
inline constexpr std::string_view kNoWords = "(none)";

// One effective value.
struct DescribedValue {
  std::string key;                              // as in rule files
  Value value;                                  // as in rule files; null: no value
  std::optional<Origin> origin;                 // where it was written; none: it is the default
  std::string_view instead_of_null = kNoWords;  // the text shown for null
};

// Returns the value as text on one line.
std::string WordsOf(const DescribedValue& described);

// Returns the conditions in file order: each attribute and its matcher.
std::vector<DescribedValue> DescribeMatch(const RuleSpec& rule);

// Returns every key that a rule with this action can have, except name, match and limit, in a
// readable order.
std::vector<DescribedValue> DescribeRule(const RuleSpec& rule);

// Returns the name, the algorithm and every key of a limit.
std::vector<DescribedValue> DescribeLimit(const NamedLimit& limit);
// Returns the keys of a descriptor's rate_limit, including `unlimited`.
std::vector<DescribedValue> DescribeRateLimit(const DescriptorSpec& descriptor);

// Returns the keys of a descriptor, except key, rate_limit and nested descriptors.
std::vector<DescribedValue> DescribeDescriptor(const DescriptorSpec& descriptor);

// Returns the prefix lengths v4 and v6.
std::vector<DescribedValue> DescribeIpPrefix(const DomainSpec& domain);

}  // namespace sluice
