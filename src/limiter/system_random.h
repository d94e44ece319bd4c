// Randomness from the system, and the only code that asks for it.
#pragma once

#include "base/sip_hash.h"

namespace sluice {

// Returns a seed that cannot be guessed from outside the process.
HashSeed DrawHashSeed();

}  // namespace sluice
