// ReadLimit: a limit from one line of an input.
#pragma once

#include <string_view>
#include <variant>

#include "core/limit.h"
#include "core/value.h"

namespace sluice::fuzz {

// A string or, where it begins with '{', a mapping in JSON.
std::variant<Limit, PositionedError> ReadLimit(std::string_view text);

}  // namespace sluice::fuzz
