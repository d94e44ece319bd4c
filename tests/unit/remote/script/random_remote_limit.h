// Random limits whose states Redis can keep.
#pragma once

#include "sluice/limit.h"
#include "support/random.h"
#include "support/random_limit.h"

namespace sluice::testing {

// Returns a random limit of this kind that Redis can keep.
LimitSpec RandomRemoteLimit(Kind kind, Random& random);

}  // namespace sluice::testing
