// HeldReplies: delays the replies to callers that showed a wrong credential.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/loop/event_loop.h"
#include "sluice/time.h"

namespace sluice {

// Slows down guessing without blocking a thread. The number of held replies is bounded, because
// each keeps a connection or stream of its proxy busy, and a client of that proxy must not be able
// to use all of them up. Replies beyond the bound leave at once. While the bound is reached, a
// credential is not compared if its connection has shown a wrong one before (Compares). Guessing
// therefore gets no faster than kMaxHeld per hold time and one per connection, and a caller with
// the right credential is never refused on a connection of its own.
//
// Thread safety: none; called on the loop's thread. Ownership: the loop outlives it. Replies that
// are held when it is destroyed are not finished.
class HeldReplies {
 public:
  static constexpr Nanos kHoldTime = std::chrono::seconds{1};
  static constexpr std::size_t kMaxHeld = 16;

  // Without a loop, no reply is held.
  explicit HeldReplies(EventLoop* loop, Nanos hold_time = kHoldTime)
      : loop_(loop), hold_time_(hold_time) {}

  // Calls `finish` after the hold time, or at once if kMaxHeld replies are held.
  void Hold(EventLoop::Call finish);
  // Occupies a slot for a wrong credential whose reply must not wait.
  void Note() {
    Hold([] {});
  }

  // Returns whether to compare a credential from a connection that has shown this many wrong ones.
  [[nodiscard]] bool Compares(std::uint32_t wrong_credentials) const {
    return wrong_credentials == 0 || held_ < kMaxHeld;
  }

 private:
  struct Slot {
    Slot(EventLoop& loop, HeldReplies& owner)
        : timer(loop, [this, &owner] { owner.Release(*this); }) {}

    LoopTimer timer;
    EventLoop::Call finish;  // null while the slot is free
  };

  void Release(Slot& slot);

  EventLoop* loop_;
  Nanos hold_time_;
  std::size_t held_ = 0;  // slots that are not free
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace sluice
