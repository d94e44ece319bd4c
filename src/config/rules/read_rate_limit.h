// ReadRateLimit: reads the `rate_limit` of a descriptor.
//
//   rate_limit: { unit: minute, requests_per_unit: 100, name: a, replaces: [{ name: b }] }
//   rate_limit: { unlimited: true }
//   rate_limit: { rate: 100/m, burst: 20, name: a }
//   rate_limit: 100/m
#pragma once

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Fills in limit or unlimited, limit_name, replaces and rate_limit_written. Skips and reports
// invalid parts.
void ReadRateLimit(const Value::Entry& entry, ConfigReader& reading, DescriptorSpec& out);

}  // namespace sluice
