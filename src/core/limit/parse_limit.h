// ParseLimit: reads limits as written in rule files, on the command line and in the API.
//
//   100/m
//   { rate: 100/m, burst: 20, algorithm: token_bucket }
#pragma once

#include <string_view>
#include <variant>

#include "base/value.h"
#include "core/limit/limit.h"
#include "sluice/result.h"

namespace sluice {

// Reads the string or the mapping form. Rejects unknown and repeated keys, keys that belong to
// another algorithm, and values of the wrong type or out of range. The error is the first one
// found, at the position of the key or value that caused it.
std::variant<Limit, PositionedError> ParseLimit(const Value& value, const ZoneSource& zones);

// Reads only the string form.
Result<Limit> ParseLimit(std::string_view text, const ZoneSource& zones);

// Reads the string or the mapping form into a spec that MakeLimit has not checked yet.
std::variant<LimitSpec, PositionedError> ParseLimitSpec(const Value& value);

}  // namespace sluice
