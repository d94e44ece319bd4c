// Randomness from the system, and the one place that asks for it.
#pragma once

#include "core/sip_hash.h"

namespace sluice {

// A seed that nobody outside the process can guess.
HashSeed DrawHashSeed();

}  // namespace sluice
