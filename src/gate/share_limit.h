// ShareOf: what one node may admit of a limit while nodes cannot tell each other what they admit.
#pragma once

#include <cstdint>

#include "core/limit.h"

namespace sluice {

// The nodes of a fleet that are alive, this one among them. At least 1.
struct FleetSize {
  std::uint32_t nodes = 1;

  friend bool operator==(const FleetSize&, const FleetSize&) = default;
};

// The fleet size that shares are reckoned with: exact up to 8 nodes, then rounded up to one of four
// steps between powers of two, at most kFleetMax. So a fleet that scales up and down gives a limit
// at most 60 different shares, where the store can name 255 terms until the keys of the oldest have
// reset (years, for some limits). A share is at most a fifth smaller than it could be.
inline constexpr std::uint32_t kFleetMax = 65'536;
FleetSize RoundUpFleet(FleetSize fleet);

// The limit of which that many nodes together admit what the whole one would: its period is as many
// times longer, or its count that part, and its burst is that part. Each is at least 1, so that
// there may be one unit a node too much. One that cannot be cut stays whole.
Limit ShareOf(const Limit& whole, FleetSize fleet);

}  // namespace sluice
