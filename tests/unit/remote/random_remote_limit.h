// Random limits whose states redis can keep.
#pragma once

#include "sluice/limit.h"
#include "support/random.h"
#include "support/random_limit.h"

namespace sluice::testing {

// A random limit of this kind that Redis can keep.
LimitSpec RandomRemoteLimit(Kind kind, Random& random);

}  // namespace sluice::testing
