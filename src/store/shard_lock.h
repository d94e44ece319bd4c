// ShardLock: a short lock that spins briefly, then waits in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// A mutex in eight bytes, for critical sections of tens of nanoseconds.
//
// Thread safety: Lock and Unlock from any thread; only the holder may call Unlock.
// A thread that does not get the lock spins for about as long as a decision takes and then sleeps,
// so that a holder that was descheduled is not starved by the waiting threads.
//
// Unlock is a plain store: it reads `waiters_` without a fence, so it can miss a thread that starts
// to wait at that moment. Such a thread wakes up by itself after kNap.
class ShardLock {
 public:
  void Lock() {
    if (!TryLock()) [[unlikely]] {
      LockSlow();
    }
  }

  void Unlock() {
    // Pairs with the acquire in TryLock.
    held_.store(0, std::memory_order_release);
    if (waiters_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      Wake();
    }
  }

 private:
  static constexpr int kSpins = 64;

  bool TryLock() {
    // Pairs with the release in Unlock.
    return held_.load(std::memory_order_relaxed) == 0 &&
           held_.exchange(1, std::memory_order_acquire) == 0;
  }
  void LockSlow();
  void Wake();

  std::atomic<std::uint32_t> held_{0};
  std::atomic<std::uint32_t> waiters_{0};  // threads asleep or about to be
};

}  // namespace sluice
