// ReadMatch: reads the `match` of a rule.
//
//   match: { method: POST, path: ["/v1/*", /v2], ip: { in: offices }, user: { not: { regex: "a.*" }
//   } }
#pragma once

#include <vector>

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Reads the conditions, in file order. Takes numbers and booleans among the values as their text.
// Skips and reports invalid conditions.
std::vector<ConditionSpec> ReadMatch(const Value::Entry& entry, ConfigReader& reading);

}  // namespace sluice
