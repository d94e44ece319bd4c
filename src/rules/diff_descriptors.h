// What changes of the `descriptors` of a domain.
#pragma once

#include <string>
#include <vector>

#include "rules/rule_change.h"
#include "rules/rule_spec.h"

namespace sluice {

// "message_type=marketing", or the key alone.
std::string StepOf(const DescriptorSpec& descriptor);

// Adds what changes, each by its path: "message_type=marketing > to_number".
void DiffDescriptors(const DomainSpec& before, const DomainSpec& after,
                     std::vector<RuleChange>& changes);

}  // namespace sluice
