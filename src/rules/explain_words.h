// Explanations in words.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rules/explain.h"

namespace sluice {

// What became of a rule, in a word or two: "applies", "denies", "no match", "replaced".
std::string_view FateWord(const RuleExplanation& why);
std::string_view FateWord(DescriptorFate fate);

// Why, for a person: "path is '/v1/posts'; expected '/v1/follow/*'". For what applies, its key.
std::string Describe(const RuleExplanation& why);

// The same of a descriptor, given what it was made of:
// "after 'message_type_marketing' comes user; expected to_number".
std::string Describe(const DescriptorExplanation& why, const DomainSpec& domain,
                     std::span<const Attribute> attributes);

// "user=42, path='a b'"; "one for all" where there are no parts.
std::string DescribeKey(std::span<const ExplainedKeyPart> key);

}  // namespace sluice
