#include "fuzz/must.h"

#include <cstdlib>
#include <iostream>

namespace sluice::fuzz {

void Must(bool holds, std::string_view what) {
  if (holds) return;
  std::cerr << "violated: " << what << std::endl;
  std::abort();
}

}  // namespace sluice::fuzz
