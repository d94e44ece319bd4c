// ByteBudget: how many bytes all connections of a server may keep.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace sluice {

// What connections keep of requests that are half there and of replies that are not taken, and the
// memory that sessions hold to be used again (streams, messages), added up. A connection gives back
// the latter before it is refused anything.
//
// Invariant: whoever keeps little may keep it, so that those who keep much and hold still take
// nothing from others. All together may be that much more than there may be.
//
// Thread safety: any thread. Ownership: outlives its shares.
class ByteBudget {
 public:
  // What one connection may keep however much the others do: a head, or a body of usual size.
  static constexpr std::size_t kLittle = std::size_t{16} << 10U;

  // That of one connection. Thread safety: none. Gives everything back at its end.
  class Share {
   public:
    explicit Share(ByteBudget& budget) : budget_(budget) {}
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { Set(0); }

    // Says how many bytes there are now. False if these are more than before and more than little,
    // and all together are more than there may be: they count all the same until they are gone.
    bool Set(std::size_t bytes) {
      const std::size_t before = std::exchange(bytes_, bytes);
      if (bytes == before) return true;
      // Relaxed: nothing but the sum is told by it. It wraps around where it falls.
      const std::size_t change = bytes - before;
      const std::size_t total =
          budget_.total_.fetch_add(change, std::memory_order_relaxed) + change;
      return bytes < before || bytes <= kLittle || total <= budget_.most_;
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    ByteBudget& budget_;
    std::size_t bytes_ = 0;
  };

  explicit ByteBudget(std::size_t most) : most_(most) {}

  [[nodiscard]] std::size_t total() const { return total_.load(std::memory_order_relaxed); }
  // Whether all connections together keep more than they may.
  [[nodiscard]] bool is_exceeded() const { return total() > most_; }

  // Returns whether the total has fallen far since the last call that returned true, as far as
  // calls have seen it. The allocator should then return memory to the system.
  bool TakeFall() {
    const std::size_t now = total();
    std::size_t highest = highest_.load(std::memory_order_relaxed);
    if (now > highest) highest_.store(now, std::memory_order_relaxed);
    if (now >= highest || highest - now < kFarFall) return false;
    return highest_.compare_exchange_strong(highest, now, std::memory_order_relaxed);
  }

 private:
  // Far more than a busy server's connections keep less from one moment to the next.
  static constexpr std::size_t kFarFall = std::size_t{8} << 20U;

  const std::size_t most_;
  std::atomic<std::size_t> total_{0};
  std::atomic<std::size_t> highest_{0};  // that TakeFall saw
};

}  // namespace sluice
