// SoleWriterCount: a counter with one writer and any number of readers.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace sluice {

// Add is a plain load, add and store, so the writer and the readers never wait for each other.
//
// Thread safety: Add from one thread at a time, ReadApprox from any thread.
//
// Invariants
//   (1) The count never decreases: it saturates at the largest number.
class SoleWriterCount {
 public:
  void Add(std::uint64_t more) {
    const std::uint64_t before = value_.load(std::memory_order_relaxed);
    const std::uint64_t after = before + more;
    value_.store(after >= before ? after : kMax, std::memory_order_relaxed);
  }

  // Returns the count, which may be slightly out of date on other threads.
  [[nodiscard]] std::uint64_t ReadApprox() const { return value_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> value_{0};
};

}  // namespace sluice
