// Computes how far ahead of the current time a state that is one time may be, so that the script
// only needs to add and compare.
#pragma once

#include <optional>

#include "core/algorithm/leaky_bucket.h"
#include "core/algorithm/pacer.h"
#include "core/algorithm/token_bucket.h"

namespace sluice {

// Returns the maximum ticks that may be held for a cost to pass. None if it never passes; a cost of
// 0 always does.
std::optional<Uint128> RoomFor(const TokenBucket& limit, Cost cost);
std::optional<Uint128> RoomFor(const LeakyBucket& limit, Cost cost);
std::optional<Uint128> RoomFor(const Pacer& limit, Cost cost);

// Returns the maximum ticks to which a debt may push the state ahead (core/algorithm/debt.h).
Uint128 FurthestOf(const TokenBucket& limit);
Uint128 FurthestOf(const LeakyBucket& limit);
Uint128 FurthestOf(const Pacer& limit);

}  // namespace sluice
