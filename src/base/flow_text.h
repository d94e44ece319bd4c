// FlowText: a configuration value on one line.
#pragma once

#include <string>

#include "base/value.h"

namespace sluice {

// Writes the value in the flow form of YAML and quotes strings only if necessary: POST, [user, "a
// b"], {in: offices}, "5" for the string. Values that differ in anything but their positions have
// different texts.
std::string FlowText(const Value& value);

}  // namespace sluice
