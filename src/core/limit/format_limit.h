// FormatLimit: writes a limit as text, the inverse of ParseLimit.
#pragma once

#include <string>

#include "base/value.h"
#include "sluice/limit.h"

namespace sluice {

// Returns the shortest text that is read back as an equal spec: "100/m" if only the rate is set,
// otherwise a JSON mapping of the keys that are set.
// REQUIRES: MakeLimit accepts the spec, with fractions in lowest terms (as in Limit::spec).
std::string FormatLimit(const LimitSpec& spec);

// Returns the keys of a spec that are set with their values, `algorithm` first, in the preferred
// order.
// REQUIRES: as for FormatLimit.
Value::Map LimitEntries(const LimitSpec& spec);

// Returns a short title of a limit in the string or the mapping form: "100/m", "1/s, burst 5",
// "concurrency, max_in_flight 20". The rate comes first, then the algorithm.
std::string LimitTitle(const Value& value);
// Returns the title of a spec, without the algorithm if it is token_bucket. REQUIRES: as for
// FormatLimit.
std::string LimitTitle(const LimitSpec& spec);

}  // namespace sluice
