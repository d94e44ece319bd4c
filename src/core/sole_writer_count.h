// SoleWriterCount: a number that one thread adds to and others read.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace sluice {

// Adding is a plain load, add and store: no other thread waits for it, nor it for them.
//
// Thread safety: Add from one thread at a time, the reads from any.
//
// Invariants
//   (1) It never goes down: at the largest number it stays there.
class SoleWriterCount {
 public:
  void Add(std::uint64_t more) {
    const std::uint64_t before = value_.load(std::memory_order_relaxed);
    const std::uint64_t after = before + more;
    value_.store(after >= before ? after : kMost, std::memory_order_relaxed);
  }

  // What another thread has counted so far, or a moment ago.
  [[nodiscard]] std::uint64_t ReadApprox() const { return value_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> value_{0};
};

}  // namespace sluice
