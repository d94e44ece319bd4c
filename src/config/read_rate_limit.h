// ReadRateLimit: the `rate_limit` of a descriptor.
//
//   rate_limit: { unit: minute, requests_per_unit: 100, name: a, replaces: [{ name: b }] }
//   rate_limit: { unlimited: true }
//   rate_limit: { rate: 100/m, burst: 20, name: a }
//   rate_limit: 100/m
#pragma once

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// Fills in limit or unlimited, limit_name, replaces and rate_limit_written. What is wrong is left
// out and reported.
void ReadRateLimit(const Value::Entry& entry, Reading& reading, DescriptorSpec& out);

}  // namespace sluice
