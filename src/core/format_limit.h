// FormatLimit: a limit as text, the way back from ParseLimit.
#pragma once

#include <string>

#include "core/value.h"
#include "sluice/limit.h"

namespace sluice {

// The shortest text that reads back as an equal spec: "100/m" where the rate is all there is, else
// a JSON mapping of what was written.
// REQUIRES: MakeLimit accepts the spec, with fractions in lowest terms (as in Limit::spec).
std::string FormatLimit(const LimitSpec& spec);

// What a spec says, key by key in the order in which they are best written, `algorithm` first.
// REQUIRES: as for FormatLimit.
Value::Map LimitEntries(const LimitSpec& spec);

// A limit in the string or the mapping form, in a few words: "100/m", "1/s, burst 5",
// "concurrency, max_in_flight 20". The rate comes first and the algorithm next.
std::string LimitTitle(const Value& value);
// The same of a spec; a token_bucket is not mentioned. REQUIRES: as for FormatLimit.
std::string LimitTitle(const LimitSpec& spec);

}  // namespace sluice
