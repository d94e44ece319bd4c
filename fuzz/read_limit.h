// ReadLimit: reads a limit from one line of an input.
#pragma once

#include <string_view>
#include <variant>

#include "base/value.h"
#include "core/limit/limit.h"

namespace sluice::fuzz {

// Reads a limit as a string or, if it begins with '{', as a mapping in JSON.
std::variant<Limit, PositionedError> ReadLimit(std::string_view text);

}  // namespace sluice::fuzz
