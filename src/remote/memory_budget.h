// MemoryBudget: how many bytes a table may hold.
#pragma once

#include <atomic>
#include <cstdint>

namespace sluice {

// Counts bytes against a cap. What is counted is what the owner says it allocates, rounded as the
// owner sees fit; the budget allocates nothing.
//
// Thread safety: every method from any thread.
//
// Invariant: `used` is never above `max`.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t max) : max_(max) {}

  // False where they do not fit; then nothing is counted.
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
