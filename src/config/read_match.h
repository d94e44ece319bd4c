// ReadMatch: what a rule applies to.
//
//   match: { method: POST, path: ["/v1/*", /v2], ip: { in: offices }, user: { not: { regex: "a.*" }
//   } }
#pragma once

#include <vector>

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// Conditions in the order of the file. Numbers and booleans among the values are taken as their
// text. What is wrong is left out and reported.
std::vector<ConditionSpec> ReadMatch(const Value::Entry& entry, Reading& reading);

}  // namespace sluice
