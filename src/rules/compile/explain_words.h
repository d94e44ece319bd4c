// Formats explanations as text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rules/compile/explain.h"

namespace sluice {

// Returns the outcome in a word or two: "applies", "denies", "no match", "replaced".
std::string_view FateWord(const RuleExplanation& why);
std::string_view FateWord(DescriptorFate outcome);

// Returns the reason: "path is '/v1/posts'; expected '/v1/follow/*'". For a rule that applies,
// returns its key.
std::string Describe(const RuleExplanation& why);

// Returns the reason for a descriptor, given the domain and the attributes that were explained:
// "after 'message_type_marketing', found user; expected to_number".
std::string Describe(const DescriptorExplanation& why, const DomainSpec& domain,
                     std::span<const Attribute> attributes);

// Returns "user=42, path='a b'", or "one for all" if there are no parts.
std::string DescribeKey(std::span<const ExplainedKeyPart> key);

}  // namespace sluice
