// How far ahead of the time a state that is one time may be: what a cost comes down to for the
// script, which then only adds and compares.
#pragma once

#include <optional>

#include "core/leaky_bucket.h"
#include "core/pacer.h"
#include "core/token_bucket.h"

namespace sluice {

// The most ticks that may be held for a cost to pass; nothing where it never does. A cost of 0
// always passes.
std::optional<Uint128> RoomFor(const TokenBucket& limit, Cost cost);
std::optional<Uint128> RoomFor(const LeakyBucket& limit, Cost cost);
std::optional<Uint128> RoomFor(const Pacer& limit, Cost cost);

// The most ticks that a debt pushes it ahead (core/debt.h).
Uint128 FurthestOf(const TokenBucket& limit);
Uint128 FurthestOf(const LeakyBucket& limit);
Uint128 FurthestOf(const Pacer& limit);

}  // namespace sluice
