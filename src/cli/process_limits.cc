#include "cli/process_limits.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace sluice::cli {

void ForbidCoreDumps() {
  // Not by RLIMIT_CORE: the kernel does not apply that where a program takes the dumps.
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void RaiseDescriptorBound() {
  rlimit bound{};
  if (getrlimit(RLIMIT_NOFILE, &bound) != 0) return;
  bound.rlim_cur = bound.rlim_max;
  setrlimit(RLIMIT_NOFILE, &bound);
}

std::size_t UsableProcessors() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&usable));
  }
  // There are more of them than the set can say.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sluice::cli
