// ReadRule: reads one rule.
//
//   { name: posts, match: { method: POST }, per: [user], limit: 2/m }
#pragma once

#include <optional>

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Returns the rule without its invalid parts, which it reports; returns nothing if the rule has no
// valid name.
std::optional<RuleSpec> ReadRule(const Value& value, ConfigReader& reading);

}  // namespace sluice
