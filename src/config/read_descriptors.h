// ReadDescriptors: rules in the format of envoyproxy/ratelimit.
//
//   descriptors:
//     - key: remote_address
//       rate_limit: { unit: minute, requests_per_unit: 100 }
//       descriptors: [{ key: path, value: "/v1/*", rate_limit: 10/s }]
//
// Every key of that format means what it means there. Beyond it, rate_limit may be any limit of
// ours, and `replaces` may name limits plainly.
#pragma once

#include <vector>

#include "config/reading.h"
#include "core/value.h"
#include "rules/rule_spec.h"

namespace sluice {

// What is wrong is left out and reported. Whether two of them are the same is not looked at.
std::vector<DescriptorSpec> ReadDescriptors(const Value::Entry& entry, Reading& reading);

}  // namespace sluice
