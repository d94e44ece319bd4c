// ShareOf: the part of a limit that one node may admit while nodes cannot synchronize.
#pragma once

#include <cstdint>

#include "core/limit/limit.h"

namespace sluice {

// The number of nodes of a fleet that are alive, including this one. At least 1.
struct FleetSize {
  std::uint32_t nodes = 1;

  friend bool operator==(const FleetSize&, const FleetSize&) = default;
};

// Returns the fleet size that shares are computed with: exact up to 8 nodes, then rounded up to one
// of four steps between powers of two, at most kFleetMax. Therefore a fleet that scales up and down
// gives a limit at most 60 different shares; the store has ids for 255 terms until the keys of the
// oldest have reset (years, for some limits). A share is at most a fifth smaller than it could be.
inline constexpr std::uint32_t kFleetMax = 65'536;
FleetSize RoundUpFleet(FleetSize fleet);

// Returns a limit of which that many nodes together admit what the whole one would: its period is
// longer or its count smaller by that factor, and its burst is smaller. Each value is at least 1,
// so there may be up to one unit per node too much. A limit that cannot be cut stays whole.
Limit ShareOf(const Limit& whole, FleetSize fleet);

}  // namespace sluice
