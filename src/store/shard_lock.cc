#include "store/shard_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace sluice {
namespace {

// The sleep of a thread that missed its wake-up: about ten times what a wake-up costs.
constexpr timespec kNap{0, 50'000};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

}  // namespace

void ShardLock::LockSlow() {
  for (int i = 0; i < kSpins; ++i) {
    if (TryLock()) return;
    __builtin_ia32_pause();
  }
  waiters_.fetch_add(1, std::memory_order_relaxed);
  while (!TryLock()) {
    // Returns at once if the lock is free by now.
    syscall(SYS_futex, &held_, FUTEX_WAIT_PRIVATE, 1, &kNap, nullptr, 0);
  }
  waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void ShardLock::Wake() { syscall(SYS_futex, &held_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace sluice
