// ParseLimit: a limit as it is written in rule files, on the command line and in the API.
//
//   100/m
//   { rate: 100/m, burst: 20, algorithm: token_bucket }
#pragma once

#include <string_view>
#include <variant>

#include "core/limit.h"
#include "core/value.h"
#include "sluice/result.h"

namespace sluice {

// Reads the string or the mapping form, strictly: an unknown key, one that belongs to another
// algorithm, a repeated one, a value of the wrong kind or out of range is refused. The error is
// the first one found, at the key or the value at fault.
std::variant<Limit, PositionedError> ParseLimit(const Value& value, const ZoneSource& zones);

// Reads the string form alone.
Result<Limit> ParseLimit(std::string_view text, const ZoneSource& zones);

// Reads the string or the mapping form into a spec, which MakeLimit has not seen yet.
std::variant<LimitSpec, PositionedError> ParseLimitSpec(const Value& value);

}  // namespace sluice
