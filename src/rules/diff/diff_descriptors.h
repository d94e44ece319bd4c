// Compares the `descriptors` of two versions of a domain.
#pragma once

#include <string>
#include <vector>

#include "rules/diff/rule_change.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Returns "message_type=marketing", or only the key if there is no value.
std::string StepOf(const DescriptorSpec& descriptor);

// Adds each change under its path: "message_type=marketing > to_number".
void DiffDescriptors(const DomainSpec& before, const DomainSpec& after,
                     std::vector<RuleChange>& changes);

}  // namespace sluice
