// FormatLimit: a limit as text, the way back from ParseLimit.
#pragma once

#include <string>

#include "sluice/limit.h"

namespace sluice {

// The shortest text that reads back as an equal spec: "100/m" where the rate is all there is, else
// a JSON mapping of what was written.
// REQUIRES: MakeLimit accepts the spec, with fractions in lowest terms (as in Limit::spec).
std::string FormatLimit(const LimitSpec& spec);

}  // namespace sluice
