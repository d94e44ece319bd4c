#include "sluice/result.h"

#include <cstdio>
#include <cstdlib>

namespace sluice::internal {

void AbortWithError(const Error& error) {
  std::fprintf(stderr, "sluice: Result::value() on an error: %s\n", error.message.c_str());
  std::abort();
}

}  // namespace sluice::internal
