// FindDuplicateKey: what every reader of maps asks before it hands one out.
#pragma once

#include "core/value.h"

namespace sluice {

// The second entry of a key that stands in the map more than once, or null. By sorting, n log n,
// so that no choice of keys makes it slow.
const Value::Entry* FindDuplicateKey(const Value::Map& entries);

}  // namespace sluice
