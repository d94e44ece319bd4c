#include "server/process_limits.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace sluice::cli {

void ForbidCoreDumps() {
  // RLIMIT_CORE is not enough: the kernel ignores it if core dumps are piped to a program.
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
  // The machine has more processors than the set can hold.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sluice::cli
