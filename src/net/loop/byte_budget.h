// ByteBudget: the memory that all connections of a server may keep, in bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sluice {

// The sum of what connections keep: incomplete requests, unread replies, and memory that sessions
// hold for reuse (streams, messages). A connection frees the latter before it is closed for using
// too much.
//
// Invariant: a connection may always keep kLittle bytes, so that peers that hold a lot of memory
// take none from the others. The total may exceed the maximum by kLittle per connection.
//
// Thread safety: any thread. Ownership: must outlive its shares.
class ByteBudget {
 public:
  // Bytes that a connection may keep whatever the total is: a head, or a body of usual size.
  static constexpr std::size_t kLittle = std::size_t{16} << 10U;

  // The bytes of one connection, returned by the destructor. Thread safety: none.
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { Set(0); }

    // Sets the bytes that the connection keeps now. Returns false if they have grown, exceed
    // kLittle, and the total exceeds the maximum; they are counted even then.
    bool Set(std::size_t bytes) {
      const std::size_t before = std::exchange(bytes_, bytes);
      if (bytes == before) return true;
      // Relaxed, because no other data depends on the sum. A negative change wraps around.
      const std::size_t change = bytes - before;
      const std::size_t total =
          budget_.total_.fetch_add(change, std::memory_order_relaxed) + change;
      return bytes < before || bytes <= kLittle || total <= budget_.max_;
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    ByteBudget& budget_;
    std::size_t bytes_ = 0;
  };

  explicit ByteBudget(std::size_t max) : max_(max) {}

  [[nodiscard]] std::size_t total() const { return total_.load(std::memory_order_relaxed); }
  // Returns whether the total exceeds the maximum.
  [[nodiscard]] bool is_exceeded() const { return total() > max_; }

  // Returns whether the total has fallen by kFarFall from the highest value that calls have seen
  // since the last call that returned true. The caller should then make the allocator return memory
  // to the system.
  bool TakeFall() {
    const std::size_t now = total();
    std::size_t highest = highest_.load(std::memory_order_relaxed);
    if (now > highest) highest_.store(now, std::memory_order_relaxed);
    if (now >= highest || highest - now < kFarFall) return false;
    return highest_.compare_exchange_strong(highest, now, std::memory_order_relaxed);
  }

 private:
  // Far above the usual fluctuation of the total on a busy server.
  static constexpr std::size_t kFarFall = std::size_t{8} << 20U;

  const std::size_t max_;
  std::atomic<std::size_t> total_{0};
  std::atomic<std::size_t> highest_{0};  // highest total seen by TakeFall
};

}  // namespace sluice
