// ReadDescriptors: reads rules in the format of envoyproxy/ratelimit.
//
//   descriptors:
//     - key: remote_address
//       rate_limit: { unit: minute, requests_per_unit: 100 }
//       descriptors: [{ key: path, value: "/v1/*", rate_limit: 10/s }]
//
// Every key of that format keeps its meaning. As extensions, rate_limit may be any limit of our own
// format, and `replaces` may list plain names.
#pragma once

#include <vector>

#include "base/value.h"
#include "config/syntax/config_reader.h"
#include "rules/model/rule_spec.h"

namespace sluice {

// Reads a list of descriptors. Skips and reports invalid parts. Does not check for duplicates.
std::vector<DescriptorSpec> ReadDescriptors(const Value::Entry& entry, ConfigReader& reading);

}  // namespace sluice
