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

// The limit of which that many nodes together admit what the whole one would: its period is as many
// times longer, or its count that part, and its burst is that part. Each is at least 1, so that
// there may be one unit a node too much. One that cannot be cut stays whole.
Limit ShareOf(const Limit& whole, FleetSize fleet);

}  // namespace sluice
