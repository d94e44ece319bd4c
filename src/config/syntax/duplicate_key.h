// FindDuplicateKey: finds repeated keys for all readers of mappings.
#pragma once

#include "base/value.h"

namespace sluice {

// Returns the second entry of a repeated key, or null. Sorts the keys in n log n time, so no choice
// of keys makes it slow.
const Value::Entry* FindDuplicateKey(const Value::Map& entries);

}  // namespace sluice
