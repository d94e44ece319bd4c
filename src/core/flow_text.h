// FlowText: a value as people write it on one line.
#pragma once

#include <string>

#include "core/value.h"

namespace sluice {

// In the flow form of YAML, strings in quotes only where they need them: POST, [user, "a b"],
// {in: offices}, "5" for the string. Two values that differ in more than their places have
// different texts.
std::string FlowText(const Value& value);

}  // namespace sluice
