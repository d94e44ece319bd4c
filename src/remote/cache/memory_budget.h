// MemoryBudget: limits the memory of a table.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// Counts bytes against a maximum. The owner reports what it allocates, rounded as it sees fit; the
// budget allocates nothing itself.
//
// Thread safety: every method may be called from any thread.
//
// Invariant: `used` is never above `max`.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t max) : max_(max) {}

  // Reserves bytes. Returns false and counts nothing if they do not fit.
  [[nodiscard]] bool Take(std::int64_t bytes) {
    std::int64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > max_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void Release(std::int64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t max() const { return max_; }
  [[nodiscard]] std::int64_t UsedApprox() const { return used_.load(std::memory_order_relaxed); }

 private:
  const std::int64_t max_;
  std::atomic<std::int64_t> used_{0};
};

}  // namespace sluice
