// ReadRule: one rule.
//
//   { name: posts, match: { method: POST }, per: [user], limit: 2/m }
#pragma once

#include <optional>

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// The rule, without what is wrong with it, which is reported; nothing where it has no name.
std::optional<RuleSpec> ReadRule(const Value& value, Reading& reading);

}  // namespace sluice
