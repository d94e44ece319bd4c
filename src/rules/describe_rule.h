// What a rule comes to: every value of it, defaults filled in, and where it was written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// What is there where there is no value.
inline constexpr std::string_view kNoWords = "(none)";

// One value that is in force.
struct DescribedValue {
  std::string key;                              // as in rule files
  Value value;                                  // as in rule files; null: none
  std::optional<Origin> origin;                 // where it was written; none: it is the default
  std::string_view instead_of_null = kNoWords;  // what null comes to, in words
};

// A value on one line.
std::string WordsOf(const DescribedValue& described);

// The conditions, in file order: attributes and matchers.
std::vector<DescribedValue> DescribeMatch(const RuleSpec& rule);

// Every key that a rule of its action can have, in the order in which they are best read; but for
// name, match and limit.
std::vector<DescribedValue> DescribeRule(const RuleSpec& rule);

// The name, the algorithm and every key of a limit.
std::vector<DescribedValue> DescribeLimit(const NamedLimit& limit);
// The same of a descriptor's rate_limit, and whether it is none.
std::vector<DescribedValue> DescribeRateLimit(const DescriptorSpec& descriptor);

// What a descriptor has besides key, rate_limit and what may follow.
std::vector<DescribedValue> DescribeDescriptor(const DescriptorSpec& descriptor);

// v4 and v6.
std::vector<DescribedValue> DescribeIpPrefix(const DomainSpec& domain);

}  // namespace sluice
