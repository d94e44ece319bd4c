#include "limiter/system_random.h"

#include <sys/random.h>

namespace sluice {

HashSeed DrawHashSeed() {
  HashSeed seed;
  // Reads of up to 256 bytes are never cut short.
  static_cast<void>(getrandom(&seed, sizeof(seed), 0));
  return seed;
}

}  // namespace sluice
